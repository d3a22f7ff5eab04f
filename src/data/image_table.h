// Operations that look every byte up. Private to data.
#pragma once

#include <array>
#include <cstdint>

#include "scorevi/io/image.h"

namespace scorevi::data {

using Table = std::array<std::uint8_t, 256>;

inline void apply_table(const Table& table, io::Image& image) {
  for (std::uint8_t& value : image.rgb) value = table[value];
}

}  // namespace scorevi::data
