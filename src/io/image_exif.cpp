#include "image_exif.h"

#include <algorithm>
#include <array>
#include <utility>

#include "image_bytes.h"
#include "scorevi/core/check.h"

namespace scorevi::io {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::uint32_t kLong = 4;
constexpr std::size_t kTiffHeaderBytes = 8;
constexpr std::size_t kEntryBytes = 12;

// Where the pixel (x, y) of the upright picture is stored: start + x * right + y * down.
struct Walk {
  std::int64_t start, right, down;
};

Walk walk_of(int orientation, std::int64_t width, std::int64_t height) {
  const std::int64_t last_row = (height - 1) * width;
  const std::int64_t last_column = width - 1;
  const std::array<Walk, 8> walks = {{{0, 1, width},
                                      {last_column, -1, width},
                                      {last_row + last_column, -1, -width},
                                      {last_row, 1, -width},
                                      {0, width, 1},
                                      {last_row, -width, 1},
                                      {last_row + last_column, -width, -1},
                                      {last_column, width, -1}}};
  return walks[static_cast<std::size_t>(orientation - 1)];
}

}  // namespace

int exif_orientation(std::string_view tiff) {
  if (tiff.size() < kTiffHeaderBytes) return 1;
  const std::string_view mark = tiff.substr(0, 2);
  if (mark != "II" && mark != "MM") return 1;
  const ByteOrder order = mark == "MM" ? ByteOrder::kBig : ByteOrder::kLittle;
  const std::size_t directory = unsigned_at(tiff, 4, 4, order);
  if (!holds(tiff, directory, 2)) return 1;
  const std::size_t count = unsigned_at(tiff, directory, 2, order);
  if (!holds(tiff, directory + 2, count * kEntryBytes)) return 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (unsigned_at(tiff, entry, 2, order) != kOrientationTag) continue;
    const std::uint32_t type = unsigned_at(tiff, entry + 2, 2, order);
    if (type != kShort && type != kLong) return 1;
    const std::uint32_t value = unsigned_at(tiff, entry + 8, type == kShort ? 2 : 4, order);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image upright(Image stored, int orientation) {
  SCOREVI_CHECK(orientation >= 1 && orientation <= 8);
  if (orientation == 1) return stored;
  const Walk walk = walk_of(orientation, stored.width, stored.height);
  Image turned{stored.width, stored.height, std::vector<std::uint8_t>(stored.rgb.size())};
  if (exchanges_sides(orientation)) std::swap(turned.width, turned.height);
  std::uint8_t* to = turned.rgb.data();
  for (std::int64_t y = 0; y < turned.height; ++y) {
    for (std::int64_t x = 0; x < turned.width; ++x) {
      const std::uint8_t* from = stored.rgb.data() + 3 * (walk.start + x * walk.right + y * walk.down);
      to = std::copy_n(from, 3, to);
    }
  }
  return turned;
}

}  // namespace scorevi::io
