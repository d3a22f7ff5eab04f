// What people read about an exception.
#pragma once

#include <exception>
#include <string>

namespace scorevi::run {

// Its message without the C++ stack trace that LibTorch appends; an allocation that failed is told with its size and
// what to do.
std::string failure_text(const std::exception& failure);

}  // namespace scorevi::run
