// What the vision networks expect of their pictures, and what is needed to reuse their weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace scorevi::models {

enum class Interpolation { kBilinear, kBicubic };

// How the published weights of a network saw their pictures in evaluation: the short side resized
// to `resize_size`, the square of `image_size` cut from the middle, and x = (pixel/255 - mean)/std
// per channel, in the order red, green, blue.
struct VisionInput {
  std::array<double, 3> mean;
  std::array<double, 3> std;
  int64_t image_size;
  int64_t resize_size;
  Interpolation interpolation;
  const char* head;  // the last layer, whose weight and bias depend on the number of classes
};

// The position embedding of a vision transformer for another picture size: [1, 1 + g^2, D] ->
// [1, 1 + grid^2, D], as torchvision does it. Row 0 (the class token) is kept, the g x g grid of the
// others is resized bicubically with its corners on the corners of the new one. Throws Error(kData)
// unless the rows are one more than a square, Error(kUsage) unless grid >= 1.
at::Tensor resize_position_embedding(const at::Tensor& embedding, int64_t grid);

}  // namespace scorevi::models
