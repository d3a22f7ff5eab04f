#include "image_bmp.h"

#include <fmt/format.h>

#include <algorithm>

#include "image_bytes.h"

namespace scorevi::io {
namespace {

constexpr std::int64_t kRunPixelsPerByte = 128;  // a run of two bytes stands for at most 255 pixels

bool has_runs(const BmpLayout& layout) {
  return layout.compression == BmpCompression::kRle8 || layout.compression == BmpCompression::kRle4;
}

// Rows are padded to 4 bytes; the last one may lack its padding. The size has been checked.
std::int64_t row_bytes(const BmpLayout& layout) { return (layout.width * layout.bits + 31) / 32 * 4; }

void check_pixels_are_there(const Encoded& file, const BmpLayout& layout) {
  const std::int64_t needed = row_bytes(layout) * (layout.height - 1) + (layout.width * layout.bits + 7) / 8;
  if (!holds(file.bytes, layout.pixels_at, static_cast<std::size_t>(needed))) {
    refuse(file, fmt::format("BMP is cut short, got {} bytes, expected {} of pixels from byte {} on", file.bytes.size(),
                             needed, layout.pixels_at));
  }
}

Palette read_palette(const Encoded& file, const BmpLayout& layout) {
  Palette palette;
  palette.size = layout.palette_size;
  for (std::size_t i = 0; i < palette.size; ++i) {
    const auto* bgr =
        reinterpret_cast<const std::uint8_t*>(file.bytes.data()) + layout.palette_at + i * layout.palette_entry_bytes;
    palette.colours[i] = {bgr[2], bgr[1], bgr[0]};
  }
  return palette;
}

// Indices of 1, 2, 4 or 8 bits, the first pixel in the highest bits.
void unpack_indices(const std::uint8_t* from, const BmpLayout& layout, std::uint8_t* to) {
  const int per_byte = 8 / layout.bits;
  const unsigned mask = (1u << layout.bits) - 1;
  for (std::int64_t x = 0; x < layout.width; ++x) {
    const int shift = 8 - layout.bits * static_cast<int>(x % per_byte + 1);
    to[x] = static_cast<std::uint8_t>((from[x / per_byte] >> shift) & mask);
  }
}

void copy_colours(const std::uint8_t* from, const BmpLayout& layout, std::uint8_t* to) {
  for (std::int64_t x = 0; x < layout.width; ++x, from += 3, to += 3) {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
  }
}

// One channel of a 16 or 32-bit pixel, widened to 0..255 and rounded down, as in Pillow.
struct Channel {
  explicit Channel(std::uint32_t channel_mask) : mask(channel_mask) {
    while (mask != 0 && ((mask >> shift) & 1) == 0) ++shift;
    largest = std::max(mask >> shift, 1u);
  }
  std::uint8_t of(std::uint32_t pixel) const {
    return static_cast<std::uint8_t>(std::uint64_t{(pixel & mask) >> shift} * 255 / largest);
  }
  std::uint32_t mask;
  int shift = 0;
  std::uint32_t largest = 1;
};

void unpack_masked(std::string_view from, const BmpLayout& layout, std::uint8_t* to) {
  const Channel channels[] = {Channel(layout.masks[0]), Channel(layout.masks[1]), Channel(layout.masks[2])};
  const auto width = static_cast<std::size_t>(layout.bits / 8);
  for (std::int64_t x = 0; x < layout.width; ++x) {
    const std::uint32_t pixel = unsigned_at(from, static_cast<std::size_t>(x) * width, width, ByteOrder::kLittle);
    for (const Channel& channel : channels) *to++ = channel.of(pixel);
  }
}

void read_rows(const Encoded& file, const BmpLayout& layout, std::uint8_t* to) {
  const std::int64_t channels = layout.bits <= 8 ? 1 : 3;
  for (std::int64_t stored = 0; stored < layout.height; ++stored) {
    const std::string_view row =
        file.bytes.substr(layout.pixels_at + static_cast<std::size_t>(stored * row_bytes(layout)));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(row.data());
    std::uint8_t* line = to + channels * layout.width * bmp_row(layout, stored);
    if (layout.bits <= 8) {
      unpack_indices(bytes, layout, line);
    } else if (layout.bits == 24) {
      copy_colours(bytes, layout, line);
    } else {
      unpack_masked(row, layout, line);
    }
  }
}

}  // namespace

ImageHeader bmp_header(const Encoded& file) {
  const BmpLayout layout = bmp_layout(file);
  return {"", layout.width, layout.height, 1};
}

DecodedImage decode_bmp(const Encoded& file, const ImageOptions& options) {
  const BmpLayout layout = bmp_layout(file);
  check_size(file, layout.width, layout.height, options, has_runs(layout) ? kRunPixelsPerByte : 8);
  DecodedImage decoded;
  if (!has_runs(layout)) check_pixels_are_there(file, layout);
  decoded.image = black_image(layout.width, layout.height);
  std::uint8_t* pixels = decoded.image.rgb.data();
  if (has_runs(layout)) {
    read_bmp_runs(file, layout, pixels);
  } else {
    read_rows(file, layout, pixels);
  }
  if (layout.bits <= 8) look_up_colours(file, read_palette(file, layout), &decoded.image);
  return decoded;
}

}  // namespace scorevi::io
