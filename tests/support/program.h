// Runs the scorevi program as a user would and catches what it prints.
#pragma once

#include <string>
#include <vector>

namespace scorevi::test {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out, err;
};

// Runs SCOREVI_PROGRAM with the arguments, in the current folder.
ProgramResult run_program(const std::vector<std::string>& arguments);

// The same, but sends `signal_number` as soon as the file `when` has at least `bytes` bytes.
ProgramResult run_program_and_signal(const std::vector<std::string>& arguments, int signal_number,
                                     const std::string& when, long bytes);

// The whole file; "" when it does not exist.
std::string slurp(const std::string& path);

}  // namespace scorevi::test
