// What a CSV parser has to know of its text before it begins. Private to io.
#pragma once

#include <string>
#include <string_view>

namespace scorevi::io {

// Tab, semicolon or comma: the first of them that occurs equally often, outside quotes, in each of
// the first rows; else the most frequent in the first row; else the comma.
char guess_delimiter(std::string_view text);

// Is the text a number, perhaps with a decimal comma or with its thousands apart (1.234,5  1 234  1'000)?
bool resembles_number(std::string_view text);

}  // namespace scorevi::io
