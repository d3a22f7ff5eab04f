// A decoded image.
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::io {

// Rows from the top, three bytes (red, green, blue) a pixel, no padding.
struct Image {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

}  // namespace scorevi::io
