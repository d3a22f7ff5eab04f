#include "failure.h"

namespace scorevi::cli {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kRuntime:
      break;
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kData:
      return 3;
    case ErrorKind::kNumerical:
      return 4;
  }
  return 1;
}

}  // namespace scorevi::cli
