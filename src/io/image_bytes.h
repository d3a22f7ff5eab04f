// Integers inside a file's bytes. Private to io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scorevi/core/check.h"

namespace scorevi::io {

enum class ByteOrder { kLittle, kBig };

inline bool holds(std::string_view bytes, std::size_t at, std::size_t count) {
  return at <= bytes.size() && count <= bytes.size() - at;
}

// Precondition: `bytes` hold `width` (1 to 4) bytes from `at` on.
inline std::uint32_t unsigned_at(std::string_view bytes, std::size_t at, std::size_t width, ByteOrder order) {
  SCOREVI_CHECK(holds(bytes, at, width));
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t place = order == ByteOrder::kBig ? at + i : at + width - 1 - i;
    value = (value << 8) | static_cast<std::uint8_t>(bytes[place]);
  }
  return value;
}

}  // namespace scorevi::io
