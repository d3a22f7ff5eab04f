// What a failed command returns.
#pragma once

#include "scorevi/core/error.h"

namespace scorevi::cli {

int exit_code(ErrorKind kind);

}  // namespace scorevi::cli
