#include "scorevi/io/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "image_codecs.h"
#include "image_exif.h"
#include "image_magic.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;
constexpr std::int64_t kAlwaysPlausible = std::int64_t{1} << 22;  // pixels

struct Codec {
  const char* name;
  ImageHeader (*header)(const Encoded& file);
  DecodedImage (*decode)(const Encoded& file, const ImageOptions& options);
};

Codec codec_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return {"JPEG", jpeg_header, decode_jpeg};
    case ImageFormat::kPng:
      return {"PNG", png_header, decode_png};
    case ImageFormat::kGif:
      return {"GIF", gif_header, decode_gif};
    case ImageFormat::kBmp:
      break;
  }
  return {"BMP", bmp_header, decode_bmp};
}

}  // namespace

void refuse(const Encoded& file, const std::string& what) { throw Error(ErrorKind::kData, file.name + ": " + what); }

void check_size(const Encoded& file, std::int64_t width, std::int64_t height, const ImageOptions& options,
                std::int64_t pixels_per_byte) {
  const std::string size = fmt::format("{} x {} pixels", width, height);
  if (width < 1 || height < 1) refuse(file, "impossible size, got " + size + ", expected at least 1 x 1");
  if (height > options.max_pixels / width) {
    refuse(file,
           fmt::format("the header claims too much, got {}, expected at most {} in all", size, options.max_pixels));
  }
  const auto bytes = static_cast<std::int64_t>(file.bytes.size());
  if (width * height > std::max(kAlwaysPlausible, bytes * pixels_per_byte)) {
    refuse(file, fmt::format("the header claims {}, more than a file of {} bytes can hold", size, bytes));
  }
}

Image black_image(std::int64_t width, std::int64_t height) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height))};
}

void look_up_colours(const Encoded& file, const Palette& palette, Image* image) {
  std::uint8_t* rgb = image->rgb.data();
  // From the end: a colour is written at or behind the index it replaces.
  for (std::int64_t pixel = image->width * image->height - 1; pixel >= 0; --pixel) {
    const std::size_t index = rgb[pixel];
    if (index >= palette.size) {
      refuse(file,
             fmt::format("damaged, got colour {} at pixel {}, expected a colour below {}", index, pixel, palette.size));
    }
    std::copy_n(palette.colours[index].data(), 3, rgb + 3 * pixel);
  }
}

DecodedImage decode_image(std::string_view bytes, const std::string& name, const ImageOptions& options) {
  SCOREVI_CHECK(options.max_pixels > 0 && options.least_width >= 0 && options.least_height >= 0);
  const Encoded file{bytes, name};
  const Codec codec = codec_of(format_of(file));
  DecodedImage decoded = codec.decode(file, options);
  decoded.format = codec.name;
  if (options.exif == ExifMode::kApply) decoded.image = upright(std::move(decoded.image), decoded.orientation);
  return decoded;
}

ImageHeader decode_image_header(std::string_view bytes, const std::string& name) {
  const Encoded file{bytes, name};
  const Codec codec = codec_of(format_of(file));
  ImageHeader header = codec.header(file);
  header.format = codec.name;
  return header;
}

DecodedImage read_image(const std::string& path, const ImageOptions& options) {
  return decode_image(read_file(path, kMaxFileBytes), path, options);
}

ImageHeader read_image_header(const std::string& path) {
  return decode_image_header(read_file(path, kMaxFileBytes), path);
}

}  // namespace scorevi::io
