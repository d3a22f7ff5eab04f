#include "image_magic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "scorevi/core/text.h"
#include "scorevi/io/image.h"
#include "scorevi/io/weight_format.h"

namespace scorevi::io {
namespace {

using namespace std::string_view_literals;

struct Readable {
  std::string_view signature;
  ImageFormat format;
};

constexpr Readable kReadable[] = {
    {"\xFF\xD8\xFF"sv, ImageFormat::kJpeg},
    {"\x89PNG\r\n\x1A\n"sv, ImageFormat::kPng},
    {"GIF87a"sv, ImageFormat::kGif},
    {"GIF89a"sv, ImageFormat::kGif},
    {"BM"sv, ImageFormat::kBmp},
};

struct Known {
  std::size_t at;
  std::string_view signature;
  const char* what;
};

constexpr Known kOtherPictures[] = {
    {8, "WEBP"sv, "WebP"},
    {0, "II*\0"sv, "TIFF"},
    {0, "MM\0*"sv, "TIFF"},
    {0, "II+\0"sv, "BigTIFF"},
    {0, "MM\0+"sv, "BigTIFF"},
    {4, "jP  \r\n\x87\n"sv, "JPEG 2000"},
    {0, "\xFF\x4F\xFF\x51"sv, "JPEG 2000"},
    {4, "JXL \r\n\x87\n"sv, "JPEG XL"},
    {0, "\xFF\x0A"sv, "JPEG XL"},
    {4, "ftypavif"sv, "AVIF"},
    {4, "ftypheic"sv, "HEIC"},
    {4, "ftypmif1"sv, "HEIF"},
    {0, "8BPS"sv, "Photoshop"},
    {0, "\0\0\1\0"sv, "icon"},
    {0, "P4\n"sv, "PBM"},
    {0, "P5\n"sv, "PGM"},
    {0, "P6\n"sv, "PPM"},
    {0, "<svg"sv, "SVG"},
};

constexpr Known kNoPictures[] = {
    {0, "\x1F\x8B"sv, "gzip data: unpack it first"},
    {0, "PK\3\4"sv, "a zip archive: unpack it first"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "/9j/"sv, "the base64 text of a JPEG: decode it first"},
    {0, "iVBORw0KGgo"sv, "the base64 text of a PNG: decode it first"},
    {6, "JFIF\0"sv, "a JPEG that was changed as if it were text: fetch it again"},
    {0, "\x89PNG"sv, "a PNG that was changed as if it were text: fetch it again"},
    {1, "PNG"sv, "a PNG that was changed as if it were text: fetch it again"},
    {0, "\0\5\x16\7"sv, "an AppleDouble file (what macOS keeps beside a picture)"},
    {4, "Bud1"sv, "a .DS_Store file of macOS"},
    {0, "\xD0\xCF\x11\xE0"sv, "an OLE file (such as Thumbs.db of Windows)"},
};

constexpr std::size_t kShownBytes = 8;
constexpr std::size_t kTextSample = 512;
constexpr const char* kExpected = "expected JPEG, PNG, GIF or BMP";

bool has(std::string_view bytes, std::size_t at, std::string_view signature) {
  return bytes.size() >= at + signature.size() && bytes.substr(at, signature.size()) == signature;
}

bool is_text(std::string_view bytes) {
  const std::string_view sample = bytes.substr(0, kTextSample);
  return std::all_of(sample.begin(), sample.end(),
                     [](unsigned char c) { return (c >= 0x20 && c < 0x7F) || c == '\t' || c == '\r' || c == '\n'; });
}

std::string first_bytes(std::string_view bytes) {
  std::string shown;
  for (const unsigned char byte : bytes.substr(0, kShownBytes)) {
    shown += fmt::format("{}{:02x}", shown.empty() ? "" : " ", byte);
  }
  return shown;
}

[[noreturn]] void refuse_unread(const Encoded& file) {
  const std::string_view bytes = file.bytes;
  if (bytes.empty()) refuse(file, std::string("the file is empty, ") + kExpected);
  for (const Known& other : kOtherPictures) {
    if (has(bytes, other.at, other.signature)) {
      refuse(file, fmt::format("{} is not supported, {}: convert it", other.what, kExpected));
    }
  }
  for (const Known& known : kNoPictures) {
    if (has(bytes, known.at, known.signature)) refuse(file, std::string("no picture but ") + known.what);
  }
  if (const char* mistake = download_mistake(bytes)) refuse(file, mistake);
  if (bytes.find_first_not_of('\0') == std::string_view::npos) {
    refuse(file, fmt::format("no picture but {} zero bytes, as a crash leaves them: fetch it again", bytes.size()));
  }
  if (is_text(bytes)) refuse(file, std::string("no picture but text, ") + kExpected);
  refuse(file, fmt::format("no known picture, got first bytes {}, {}", first_bytes(bytes), kExpected));
}

struct Ending {
  std::string_view text;  // in lower case
  std::string_view format;
};
constexpr Ending kEndings[] = {{".jpg", "JPEG"}, {".jpeg", "JPEG"}, {".png", "PNG"}, {".gif", "GIF"}, {".bmp", "BMP"}};

}  // namespace

std::string_view format_of_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const Ending& ending : kEndings)
    if (ends_with(lower, ending.text)) return ending.format;
  return "";
}

bool begins_like_picture(std::string_view bytes) {
  for (const Readable& readable : kReadable)
    if (has(bytes, 0, readable.signature)) return true;
  return std::any_of(std::begin(kOtherPictures), std::end(kOtherPictures),
                     [&](const Known& other) { return has(bytes, other.at, other.signature); });
}

ImageFormat format_of(const Encoded& file) {
  for (const Readable& readable : kReadable) {
    if (has(file.bytes, 0, readable.signature)) return readable.format;
  }
  refuse_unread(file);
}

}  // namespace scorevi::io
