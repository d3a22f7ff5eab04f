// The last step: bytes of an image to the floats of a network.
#pragma once

#include <array>
#include <cstdint>

#include "scorevi/io/image.h"

namespace scorevi::data {

// (byte / 255 - mean) / std per channel, each step rounded to float as torchvision does; by table.
class PixelScale {
 public:
  // In units of byte / 255. Error kUsage: a mean that is not finite, or a std that is not above 0.
  PixelScale(const std::array<double, 3>& mean, const std::array<double, 3>& std);

  // Writes three planes (red, green, blue) of height rows, width values each: 3 * width * height floats. Thread safe.
  void write_planes(const io::Image& image, float* out) const;

 private:
  std::array<std::array<float, 256>, 3> table_;
};

// What most networks trained on ImageNet expect.
inline constexpr std::array<double, 3> kImageNetMean = {0.485, 0.456, 0.406};
inline constexpr std::array<double, 3> kImageNetStd = {0.229, 0.224, 0.225};

}  // namespace scorevi::data
