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

// Cuts a file to its first `bytes` bytes; a missing or shorter file stays as it is. Error(kRuntime) when that fails.
void truncate_file(const std::string& path, int64_t bytes);
// Cuts a text file to its first `lines` lines; a missing or shorter file stays as it is.
void keep_lines(const std::string& path, int64_t lines);
// Bytes in a file, 0 when it does not exist.
int64_t file_bytes(const std::string& path);

}  // namespace scorevi::run
