// The element types of weight files, without LibTorch. Private to io.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scorevi::io {

enum class ElementType : std::uint8_t {
  kFloat64,
  kFloat32,
  kFloat16,
  kBfloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBool,
};

inline constexpr std::array<std::uint8_t, 10> kElementBytes = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};

constexpr std::size_t element_bytes(ElementType type) { return kElementBytes[static_cast<std::size_t>(type)]; }

}  // namespace scorevi::io
