// Errors that a user can act on. The kind decides the exit code; only `cli` maps it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace scorevi {

// Exit codes: runtime 1, usage 2, data 3, numerical 4.
enum class ErrorKind {
  kRuntime,    // the machine or a library failed: disk full, out of memory
  kUsage,      // command line or configuration is wrong
  kData,       // an input file or weight file is missing, damaged or does not fit
  kNumerical,  // a score, loss or standard deviation left the finite range
};

// A user or environment error. The message reads
//   "where: what, got VALUE, expected CONSTRAINT", then a hint when the fix is known.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace scorevi
