// What a failed command says and returns.
#pragma once

#include <string>

#include "scorevi/core/error.h"

namespace scorevi::cli {

int exit_code(ErrorKind kind);

// The message of an exception of a library for people: an allocation that failed in LibTorch is told with its size and
// what to do; the C++ stack trace that LibTorch appends is left out.
std::string library_failure(const std::string& message);

}  // namespace scorevi::cli
