// What a MATLAB file claims, checked before matio allocates it. Private to io.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scorevi::io {

// The names of the arrays, in their order. Error kData where a tag or a size does not fit the bytes that are there, or
// where the file holds anything but real arrays of numbers within the limits of mat.h.
std::vector<std::string> checked_mat_names(std::string_view bytes, const std::string& name);

}  // namespace scorevi::io
