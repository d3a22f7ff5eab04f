// steps.jsonl: one JSON object per logged step.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "scorevi/inference/engine.h"

namespace scorevi::run {

class StepLog {
 public:
  // Starts the file anew, or goes on at its end.
  StepLog(const std::string& path, bool go_on);
  void write(int64_t step, int64_t epoch, double lr, double nll, const inference::StepStats& stats);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace scorevi::run
