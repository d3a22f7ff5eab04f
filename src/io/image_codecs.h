// The decoder of each image format, and what they share. Private to io.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scorevi/io/image.h"

namespace scorevi::io {

// A file in memory and the name it has in messages.
struct Encoded {
  std::string_view bytes;
  const std::string& name;
};

// Error kData "NAME: what".
[[noreturn]] void refuse(const Encoded& file, const std::string& what);

// Refuses a size of 0, above `max_pixels`, or above both 2^22 pixels and what the file can hold at
// `pixels_per_byte`, the best compression of its format.
void check_size(const Encoded& file, std::int64_t width, std::int64_t height, const ImageOptions& options,
                std::int64_t pixels_per_byte);

// A black picture. The size has been checked.
Image black_image(std::int64_t width, std::int64_t height);

struct Palette {
  std::array<std::array<std::uint8_t, 3>, 256> colours{};
  std::size_t size = 0;  // entries in use
};

// Replaces indices by colours: the first width * height bytes of `image->rgb` hold one index a
// pixel. Refuses an index beyond the palette.
void look_up_colours(const Encoded& file, const Palette& palette, Image* image);

// Each fills width, height and orientation.
ImageHeader jpeg_header(const Encoded& file);
ImageHeader png_header(const Encoded& file);
ImageHeader gif_header(const Encoded& file);
ImageHeader bmp_header(const Encoded& file);

// Each fills all but `format`; the EXIF orientation is reported, not applied.
DecodedImage decode_jpeg(const Encoded& file, const ImageOptions& options);
DecodedImage decode_png(const Encoded& file, const ImageOptions& options);
DecodedImage decode_gif(const Encoded& file, const ImageOptions& options);
DecodedImage decode_bmp(const Encoded& file, const ImageOptions& options);

}  // namespace scorevi::io
