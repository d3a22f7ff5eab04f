// "Did you mean": the known name closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scorevi {

// Edits (insert, delete, replace, swap of neighbours) that turn a into b. O(|a| |b|).
int edit_distance(std::string_view a, std::string_view b);

// ` (did you mean "x"?)` for the nearest candidate, letter case ignored, or "" when none is near: at most a third of
// the letters may differ, none in a name of one or two. Otherwise the only candidate that `name` (three letters or
// more) begins.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// "a, b, c" for messages.
std::string join(const std::vector<std::string>& items, std::string_view separator = ", ");

// "a, b, c, ..." of at most `most` items.
std::string join_first(const std::vector<std::string>& items, std::size_t most);

}  // namespace scorevi
