// The parts of the BMP reader. Private to io.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image_codecs.h"

namespace scorevi::io {

// How the rows of a BMP are stored. Values of `compression` as in the file.
enum class BmpCompression : std::uint32_t { kNone = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6 };

struct BmpLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool top_down = false;
  int bits = 0;  // per pixel: 1, 2, 4, 8, 16, 24, 32
  BmpCompression compression = BmpCompression::kNone;
  std::array<std::uint32_t, 3> masks{};  // red, green, blue, for 16 and 32 bits
  std::size_t palette_at = 0;            // in the file
  std::size_t palette_entry_bytes = 4;   // blue, green, red, and one byte that says nothing
  std::size_t palette_size = 0;          // 0 above 8 bits
  std::size_t pixels_at = 0;
};

// Reads and checks everything but the pixels.
BmpLayout bmp_layout(const Encoded& file);

// The row of the picture, counted from the top, that is stored as row `stored`.
inline std::int64_t bmp_row(const BmpLayout& layout, std::int64_t stored) {
  return layout.top_down ? stored : layout.height - 1 - stored;
}

// Runs of RLE8 and RLE4: one index a pixel into `indices` (width * height bytes that hold 0). What
// the runs pass over keeps 0, what leaves a row is dropped, as in Pillow.
void read_bmp_runs(const Encoded& file, const BmpLayout& layout, std::uint8_t* indices);

}  // namespace scorevi::io
