// Checks of single options.
#pragma once

#include <string>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"

namespace scorevi::inference {

// Throws Error(kUsage) "name: got VALUE, expected ..." unless `holds`.
inline void expect_option(bool holds, const char* name, double value, const char* expected) {
  if (!holds)
    throw Error(ErrorKind::kUsage, fmt::format("{}: got {}, expected {}", name, format_double(value), expected));
}

inline void expect_option(bool holds, const char* name, int64_t value, const char* expected) {
  if (!holds) throw Error(ErrorKind::kUsage, fmt::format("{}: got {}, expected {}", name, value, expected));
}

}  // namespace scorevi::inference
