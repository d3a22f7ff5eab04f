// What every member of a sweep must give, told before the first one is trained.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "scorevi/run/options.h"

namespace scorevi::run {

class SweepChecks {
 public:
  explicit SweepChecks(std::vector<std::string> metrics) : metrics_(std::move(metrics)) {}

  // Reads the member's data, each data section once. Error(kUsage) where no row is left to evaluate, or where
  // the evaluation will not have one of the metrics; Error(kData) for data that cannot be read.
  void check(const LoadedOptions& member);

 private:
  std::vector<std::string> metrics_;
  std::set<std::string> checked_;  // data sections as text
};

}  // namespace scorevi::run
