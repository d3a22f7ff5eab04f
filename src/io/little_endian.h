// Little-endian numbers in a buffer, on any machine. Private to io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scorevi::io {

// The unsigned number in the first sizeof(T) bytes from `at` on. Precondition: at + sizeof(T) <= bytes.size().
template <class T>
T load_le(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return static_cast<T>(value);
}

// Appends `value` as sizeof(T) bytes.
template <class T>
void append_le(std::string& bytes, T value) {
  auto rest = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i, rest >>= 8) bytes.push_back(static_cast<char>(rest & 0xFF));
}

}  // namespace scorevi::io
