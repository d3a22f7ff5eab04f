#include <zlib.h>

#include <string>

#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/image.h"
#include "targets.h"

namespace {

constexpr std::int64_t kMaxPixels = std::int64_t{1} << 20;

void check_picture(const scorevi::io::DecodedImage& decoded) {
  const scorevi::io::Image& image = decoded.image;
  SCOREVI_CHECK(image.width > 0 && image.height > 0);
  SCOREVI_CHECK_OP(image.rgb.size(), ==, static_cast<std::size_t>(3 * image.width * image.height));
  SCOREVI_CHECK(!decoded.partial || decoded.warnings.size() == 1);
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

// Makes the checksums of a PNG right again: hardly a changed one would be read otherwise.
std::string with_right_checksums(std::string bytes) {
  std::size_t at = 8;  // behind the signature: length, type, data, checksum
  while (bytes.size() >= at + 12 && big_endian(bytes, at) <= bytes.size() - at - 12) {
    const std::size_t length = big_endian(bytes, at);
    const auto* type = reinterpret_cast<const Bytef*>(bytes.data()) + at + 4;
    const uLong checksum = crc32(0, type, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) bytes[at + 8 + length + i] = static_cast<char>(checksum >> (24 - 8 * i));
    at += length + 12;
  }
  return bytes;
}

// A picture has the size of its header; a small and upright one can be had of whatever decodes.
void read_in_every_way(std::string_view bytes) {
  using namespace scorevi;
  const io::ImageHeader header = io::decode_image_header(bytes, "fuzz");
  io::ImageOptions options;
  options.max_pixels = kMaxPixels;
  const io::DecodedImage full = io::decode_image(bytes, "fuzz", options);
  check_picture(full);
  SCOREVI_CHECK(full.image.width == header.width && full.image.height == header.height);
  options.exif = io::ExifMode::kApply;
  options.least_width = 1;
  check_picture(io::decode_image(bytes, "fuzz", options));
}

}  // namespace

int fuzz_image(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    const std::string_view bytes = fuzz::view(data, size);
    const bool is_png = bytes.substr(0, 4) == "\x89PNG";
    const std::string repaired = is_png ? with_right_checksums(std::string(bytes)) : "";
    read_in_every_way(is_png ? repaired : bytes);
  });
}
