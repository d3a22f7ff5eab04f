// Telling text from bytes. Private to io.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scorevi::io {

// The length of the UTF-8 sequence at the start of `text`, 0 where it is none (RFC 3629).
// Precondition: `text` is not empty.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// The text in double quotes for a message: at most 100 bytes of it, control characters and bytes that are no UTF-8
// as \xNN.
std::string quoted(std::string_view text);

}  // namespace scorevi::io
