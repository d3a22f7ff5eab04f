// Telling text from bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scorevi {

// The length of the UTF-8 sequence at the start of `text`, 0 where it is none (RFC 3629).
// Precondition: `text` is not empty.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// The text with bytes that are no UTF-8 as \xNN: names of files may hold any bytes, and files of text must not.
std::string as_utf8(std::string_view text);

// The text in double quotes for a message: at most 100 bytes of it, control characters and bytes that are no UTF-8
// as \xNN.
std::string quoted(std::string_view text);

}  // namespace scorevi
