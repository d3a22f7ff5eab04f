// What a CSV parser has to know of its text before it begins. Private to io.
#pragma once

#include <string>
#include <string_view>

namespace scorevi::io {

// Removes a UTF-8 byte order mark; Error kData with name:line for a NUL byte or text that is no
// UTF-8 (UTF-16 is told by its byte order mark).
std::string_view checked_utf8(std::string_view bytes, const std::string& name);

// Tab, semicolon or comma: the first of them that occurs equally often, outside quotes, in each of
// the first rows; else the most frequent in the first row; else the comma.
char guess_delimiter(std::string_view text);

}  // namespace scorevi::io
