#include "scorevi/data/image_input.h"

#include <fmt/format.h>

#include <cmath>

#include "image_view.h"
#include "scorevi/core/error.h"

namespace scorevi::data {

PixelScale::PixelScale(const std::array<double, 3>& mean, const std::array<double, 3>& std) {
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const auto m = static_cast<float>(mean[channel]);
    const auto s = static_cast<float>(std[channel]);
    if (!std::isfinite(m)) {
      throw Error(ErrorKind::kUsage, fmt::format("mean[{}]: got {}, expected a number", channel, mean[channel]));
    }
    if (!(std::isfinite(s) && s > 0.0f)) {
      throw Error(ErrorKind::kUsage, fmt::format("std[{}]: got {}, expected a number above 0", channel, std[channel]));
    }
    for (std::size_t v = 0; v < 256; ++v) table_[channel][v] = (static_cast<float>(v) / 255.0f - m) / s;
  }
}

void PixelScale::write_planes(const io::Image& image, float* out) const {
  check_image(image);
  const std::int64_t pixels = image.width * image.height;
  float* red = out;
  float* green = red + pixels;
  float* blue = green + pixels;
  const std::uint8_t* rgb = image.rgb.data();
  for (std::int64_t i = 0; i < pixels; ++i, rgb += 3) {
    red[i] = table_[0][rgb[0]];
    green[i] = table_[1][rgb[1]];
    blue[i] = table_[2][rgb[2]];
  }
}

}  // namespace scorevi::data
