// Patterns for parameter names.
#pragma once

#include <string_view>

namespace scorevi {

// Whether the whole text matches: `*` stands for any characters (dots too, or none), `?` for one;
// everything else for itself. "fc.*" matches "fc.weight", not "fc". O(|pattern| |text|).
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace scorevi
