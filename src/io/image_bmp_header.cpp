// The headers of BMP files: OS/2 1.x (12 bytes), OS/2 2.x (16, 64), Windows 3 to 5 (40, 52, 56, 108, 124).
// Source: Microsoft, "Bitmap Storage".
#include <fmt/format.h>

#include <algorithm>

#include "image_bmp.h"
#include "image_bytes.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;  // "BM", size, reserved, offset of the pixels
constexpr std::size_t kPixelsAtField = 10;
constexpr std::size_t kOldHeaderBytes = 12;
constexpr std::size_t kOs2HeaderBytes = 64;
constexpr std::size_t kCommonHeaderBytes = 40;
constexpr std::size_t kMaskBytes = 12;  // red, green, blue
constexpr std::size_t kHeaderSizes[] = {12, 16, 40, 52, 56, 64, 108, 124};
constexpr int kDepths[] = {1, 2, 4, 8, 16, 24, 32};

constexpr std::array<std::uint32_t, 3> kMasks555 = {0x7C00, 0x03E0, 0x001F};
constexpr std::array<std::uint32_t, 3> kMasks888 = {0xFF0000, 0x00FF00, 0x0000FF};

template <class Range, class Value>
bool contains(const Range& range, Value value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

std::uint32_t field(const Encoded& file, std::size_t at, std::size_t width) {
  return unsigned_at(file.bytes, at, width, ByteOrder::kLittle);
}

void read_size(const Encoded& file, std::size_t header_bytes, BmpLayout* layout) {
  const std::size_t at = kFileHeaderBytes + 4;
  if (header_bytes == kOldHeaderBytes) {
    layout->width = field(file, at, 2);
    layout->height = field(file, at + 2, 2);
    return;
  }
  layout->width = static_cast<std::int32_t>(field(file, at, 4));
  const std::int64_t height = static_cast<std::int32_t>(field(file, at + 4, 4));
  layout->top_down = height < 0;
  layout->height = layout->top_down ? -height : height;
}

BmpCompression read_compression(const Encoded& file, std::size_t header_bytes, int bits) {
  if (header_bytes < kCommonHeaderBytes) return BmpCompression::kNone;
  const std::uint32_t value = field(file, kFileHeaderBytes + 16, 4);
  const auto compression = static_cast<BmpCompression>(value);
  const bool masks_fit = (bits == 16 || bits == 32) && header_bytes != kOs2HeaderBytes;
  const bool known = (compression == BmpCompression::kNone) || (compression == BmpCompression::kRle8 && bits == 8) ||
                     (compression == BmpCompression::kRle4 && bits == 4) ||
                     (compression == BmpCompression::kBitFields && masks_fit) ||
                     (compression == BmpCompression::kAlphaBitFields && masks_fit);
  if (!known) {
    refuse(file, fmt::format("BMP of an unknown kind, got compression {} with {} bits per pixel", value, bits));
  }
  return compression;
}

bool has_masks(const BmpLayout& layout) {
  return layout.compression == BmpCompression::kBitFields || layout.compression == BmpCompression::kAlphaBitFields;
}

// The bits of a channel have to lie side by side.
void check_mask(const Encoded& file, std::uint32_t mask) {
  const std::uint32_t lowest = mask & (~mask + 1);
  if ((mask & (mask + lowest)) != 0) refuse(file, fmt::format("BMP channel mask has gaps, got 0x{:08x}", mask));
}

// Masks stand at byte 40 of the header, or behind a header of 40.
void read_masks(const Encoded& file, BmpLayout* layout) {
  if (layout->bits != 16 && layout->bits != 32) return;
  layout->masks = layout->bits == 16 ? kMasks555 : kMasks888;
  if (!has_masks(*layout)) return;
  const std::size_t at = kFileHeaderBytes + kCommonHeaderBytes;
  if (!holds(file.bytes, at, kMaskBytes)) refuse(file, "BMP is cut short in its channel masks");
  for (std::size_t c = 0; c < 3; ++c) {
    layout->masks[c] = field(file, at + 4 * c, 4);
    check_mask(file, layout->masks[c]);
  }
}

void place_palette(const Encoded& file, std::size_t header_bytes, BmpLayout* layout) {
  if (layout->bits > 8) return;
  layout->palette_at = kFileHeaderBytes + header_bytes;
  layout->palette_entry_bytes = header_bytes == kOldHeaderBytes ? 3 : 4;
  const std::size_t most = std::size_t{1} << layout->bits;
  const std::size_t used = header_bytes < kCommonHeaderBytes ? 0 : field(file, kFileHeaderBytes + 32, 4);
  layout->palette_size = used == 0 ? most : std::min(used, most);
  if (!holds(file.bytes, layout->palette_at, layout->palette_size * layout->palette_entry_bytes)) {
    refuse(file, "BMP is cut short in its colour table");
  }
}

}  // namespace

BmpLayout bmp_layout(const Encoded& file) {
  if (!holds(file.bytes, 0, kFileHeaderBytes + 4)) refuse(file, "BMP is cut short in its header");
  const std::size_t header_bytes = field(file, kFileHeaderBytes, 4);
  if (!contains(kHeaderSizes, header_bytes)) {
    refuse(file, fmt::format("BMP of an unknown kind, got a header of {} bytes", header_bytes));
  }
  if (!holds(file.bytes, kFileHeaderBytes, header_bytes)) refuse(file, "BMP is cut short in its header");

  BmpLayout layout;
  read_size(file, header_bytes, &layout);
  const std::size_t depth_at = kFileHeaderBytes + (header_bytes == kOldHeaderBytes ? 10 : 14);
  layout.bits = static_cast<int>(field(file, depth_at, 2));
  if (!contains(kDepths, layout.bits)) {
    refuse(file, fmt::format("BMP of an unknown kind, got {} bits per pixel, expected 1, 2, 4, 8, 16, 24 or 32",
                             layout.bits));
  }
  layout.compression = read_compression(file, header_bytes, layout.bits);
  read_masks(file, &layout);
  place_palette(file, header_bytes, &layout);
  layout.pixels_at = field(file, kPixelsAtField, 4);
  return layout;
}

}  // namespace scorevi::io
