// PNG writer for small pictures in reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scorevi::metrics {

// 8-bit picture, rows from the top, channels interleaved.
struct Picture {
  int width = 0;
  int height = 0;
  int channels = 1;  // 1 grey, 3 RGB
  std::vector<std::uint8_t> pixels;
};

// Values scaled so that low becomes 0 and high 255, clamped, NaN 0; rows first. width * height
// values.
Picture grey_picture(int width, int height, const std::vector<float>& values, float low = 0.0f, float high = 1.0f);

// The bytes of a PNG file (signature, IHDR, IDAT, IEND). Sizes are checked. Source: W3C PNG
// specification (2003).
std::string encode_png(const Picture& picture);

// RFC 4648 with padding.
std::string base64(std::string_view bytes);

// "data:image/png;base64,...".
std::string png_data_uri(const Picture& picture);

// One SVG element with the picture enlarged to `scale` pixels per pixel, not smoothed.
std::string picture_svg(const Picture& picture, double scale, std::string_view title);

}  // namespace scorevi::metrics
