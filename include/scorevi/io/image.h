// Pictures of any common kind as 8-bit RGB: JPEG, PNG, GIF (the first frame) and BMP. The content
// decides, never the name of the file.
//
// Colours are those of Pillow's convert("RGB"): grey is repeated, alpha is dropped and not blended,
// palettes are looked up, 16 bits keep the high byte, CMYK and YCCK JPEG are read as Adobe writes
// them (inverted); colour profiles and gAMA are not applied. One difference: Pillow clips 16-bit
// grey at 255, here it keeps the high byte too.
//
// Damage. A JPEG that is cut short or damaged in its pixel data gives its full size with what can be
// read, one warning, and `partial`, unless nothing can be read: its first rows are damaged already. PNG, GIF and BMP
// have to be whole and every PNG checksum right; that a PNG lacks its end chunk, or a GIF its trailer, does not matter.
//
// Error kData, always "NAME: reason": missing, empty, a folder, no picture (HTML, a Git LFS pointer,
// text and others are named), a kind that is not read (WebP, TIFF, JPEG 2000 and others are named),
// damaged, or too large. Sizes are checked before anything is allocated: at most `max_pixels`, and
// more than 2^22 pixels only from a file long enough to hold them at its format's best compression.
// Memory stays within two copies of the file and 20 bytes for each pixel claimed (the sides rounded
// up to multiples of 32).
// All functions may run in several threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scorevi::io {

struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, 3 bytes per pixel
};

// 512 MiB as RGB; Pillow refuses from the same number on.
inline constexpr std::int64_t kDefaultMaxPixels = (std::int64_t{1} << 29) / 3;

enum class ExifMode {
  kIgnore,  // rows as they are stored: what Pillow and torchvision train on
  kApply,   // turned upright as the EXIF orientation says
};

struct ImageOptions {
  ExifMode exif = ExifMode::kIgnore;
  std::int64_t max_pixels = kDefaultMaxPixels;
  // For speed, JPEG alone: decodes at 1/2, 1/4 or 1/8 of the size (averages of blocks, so pixels
  // differ from a full decode that is then resized) as long as the returned picture has at least
  // this size. 0 x 0: always the full size.
  std::int64_t least_width = 0;
  std::int64_t least_height = 0;
};

struct DecodedImage {
  Image image;
  std::string format;                 // JPEG, PNG, GIF, BMP
  std::vector<std::string> warnings;  // at most one, "NAME: reason"
  int orientation = 1;                // EXIF orientation of the file, 1 to 8, applied or not; 1 where it says none
  int reduction = 1;                  // 1, 2, 4, 8: the sides were divided by this and rounded up
  bool partial = false;               // some pixels are missing or wrong
};

struct ImageHeader {
  std::string format;
  std::int64_t width = 0;  // as stored, before any orientation is applied
  std::int64_t height = 0;
  int orientation = 1;
};

// Reads and decodes one file of at most 1 GiB.
DecodedImage read_image(const std::string& path, const ImageOptions& options = {});

// The same for bytes in memory; `name` stands in messages.
DecodedImage decode_image(std::string_view bytes, const std::string& name, const ImageOptions& options = {});

// What the header claims, without decoding and without limits on the size.
ImageHeader read_image_header(const std::string& path);
ImageHeader decode_image_header(std::string_view bytes, const std::string& name);

// The format that a name's ending stands for, in upper or lower case: JPEG for .jpg and .jpeg, PNG, GIF, BMP; else "".
std::string_view format_of_name(std::string_view name);

// Whether a file begins like a picture, also of a kind that is not read.
bool begins_like_picture(std::string_view bytes);

}  // namespace scorevi::io
