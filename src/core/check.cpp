#include "scorevi/core/check.h"

namespace scorevi::detail {

void check_failed(const char* file, int line, const char* expression, const std::string& values) {
  std::ostringstream out;
  out << "internal error at " << file << ":" << line << ": " << expression << values
      << " does not hold; this is a bug in scorevi, please report it";
  throw InternalError(out.str());
}

}  // namespace scorevi::detail
