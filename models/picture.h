#pragma once

#include <string>

#include "scorevi/models/options.h"

namespace scorevi::models {

// Throws Error(kUsage) unless one input is {channels, height, width}.
void check_picture(const std::string& model, const InputSpec& input);

// The same, and height = width = a multiple of `unit`.
void check_square_picture(const std::string& model, const InputSpec& input, int64_t unit);

}  // namespace scorevi::models
