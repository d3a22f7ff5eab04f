// What every member of a sweep must give, told before the first one is trained, and what its data are.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "scorevi/run/options.h"
#include "scorevi/run/sweep.h"

namespace scorevi::run {

class SweepChecks {
 public:
  explicit SweepChecks(std::vector<std::string> metrics) : metrics_(std::move(metrics)) {}

  // Reads the member's data, each data section once. Error(kUsage) where no row is left to evaluate, or where
  // the evaluation will not have one of the metrics; Error(kData) for data that cannot be read.
  void check(const LoadedOptions& member);

  // SHA-256 of the member's data and first weights as in run.json; each set and file is read once. Of a file that is
  // not there "".
  MemberInputs inputs(const LoadedOptions& member);

 private:
  std::vector<std::string> metrics_;
  std::set<std::string> checked_;                    // data sections as text
  std::map<std::string, std::string> fingerprints_;  // by data_key()
  std::map<std::string, std::string> weights_;       // by model.weights
};

}  // namespace scorevi::run
