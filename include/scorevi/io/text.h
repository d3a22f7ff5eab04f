// Checks of text that comes from outside.
#pragma once

#include <string>
#include <string_view>

namespace scorevi::io {

// `bytes` without a UTF-8 byte order mark; `name` stands in messages. Error kData with name:line for a NUL byte or
// text that is no UTF-8 (UTF-16 is told by its byte order mark).
std::string_view checked_utf8(std::string_view bytes, const std::string& name);

}  // namespace scorevi::io
