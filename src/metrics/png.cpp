#include "scorevi/metrics/png.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {
namespace {

void append_big_endian(std::string* out, std::uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(v >> shift));
}

// Length, type, data, CRC of type and data.
void append_chunk(std::string* out, const char* type, const std::string& data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  *out += body;
  append_big_endian(out, static_cast<std::uint32_t>(
                             crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

std::string deflated(const std::string& raw) {
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                               static_cast<uLong>(raw.size()), 9);
  SCOREVI_CHECK_OP(status, ==, Z_OK);
  out.resize(size);
  return out;
}

}  // namespace

Picture grey_picture(int width, int height, const std::vector<float>& values, float low, float high) {
  SCOREVI_CHECK_OP(values.size(), ==, static_cast<std::size_t>(width) * height);
  SCOREVI_CHECK_OP(low, <, high);
  Picture picture{width, height, 1, {}};
  for (float v : values) {
    const float share = std::isnan(v) ? 0.0f : std::clamp((v - low) / (high - low), 0.0f, 1.0f);
    picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(255.0f * share)));
  }
  return picture;
}

std::string encode_png(const Picture& p) {
  SCOREVI_CHECK(p.width > 0 && p.height > 0 && (p.channels == 1 || p.channels == 3));
  const std::size_t row = static_cast<std::size_t>(p.width) * p.channels;
  SCOREVI_CHECK_OP(p.pixels.size(), ==, row * p.height);
  std::string raw;
  raw.reserve((row + 1) * p.height);
  for (int y = 0; y < p.height; ++y) {
    raw.push_back('\0');  // no filter
    raw.append(reinterpret_cast<const char*>(p.pixels.data()) + y * row, row);
  }
  std::string header;
  append_big_endian(&header, static_cast<std::uint32_t>(p.width));
  append_big_endian(&header, static_cast<std::uint32_t>(p.height));
  header += '\x08';                           // bits per channel
  header += p.channels == 3 ? '\x02' : '\0';  // RGB or grey
  header.append(3, '\0');                     // deflate, adaptive filters, not interlaced
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(&out, "IHDR", header);
  append_chunk(&out, "IDAT", deflated(raw));
  append_chunk(&out, "IEND", "");
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = (word << 8) | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= count ? kLetters[(word >> (18 - 6 * j)) & 63u] : '=';
  }
  return out;
}

std::string png_data_uri(const Picture& picture) { return "data:image/png;base64," + base64(encode_png(picture)); }

std::string picture_svg(const Picture& picture, double scale, std::string_view title) {
  const double width = picture.width * scale, height = picture.height * scale;
  SvgCanvas canvas(width, height, title);
  canvas.image({0, 0}, width, height, png_data_uri(picture));
  return canvas.str();
}

}  // namespace scorevi::metrics
