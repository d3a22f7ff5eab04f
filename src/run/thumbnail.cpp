#include "thumbnail.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "scorevi/core/check.h"
#include "scorevi/data/image_ops.h"

namespace scorevi::run {
namespace {

constexpr int64_t kSide = 112;  // pixels of the short side

at::Tensor small_picture(const data::Pictures& pictures, int64_t row) {
  io::Image image = pictures.load(row);
  if (std::min(image.width, image.height) > kSide)
    image = data::resize_short_side(image, kSide, data::ResizeFilter::kBilinear);
  return at::from_blob(image.rgb.data(), {image.height, image.width, 3}, at::kByte).permute({2, 0, 1}).contiguous();
}

}  // namespace

at::Tensor thumbnail(const data::Dataset& dataset, int64_t row) {
  if (!dataset.is_image()) return {};
  if (dataset.pictures) return small_picture(*dataset.pictures, row);
  const at::Tensor scaled = dataset.inputs[row].to(at::kFloat) * (255.0 / dataset.input_scale);
  const at::Tensor bytes = scaled.clamp(0, 255).round().to(at::kByte);
  return bytes.size(0) == 1 ? bytes[0] : bytes;
}

metrics::Picture page_picture(const at::Tensor& picture) {
  SCOREVI_CHECK(picture.scalar_type() == at::kByte);
  SCOREVI_CHECK(picture.dim() == 2 || (picture.dim() == 3 && (picture.size(0) == 3 || picture.size(0) == 1)));
  const at::Tensor chw = picture.dim() == 2 ? picture.unsqueeze(0) : picture;
  const at::Tensor hwc = chw.permute({1, 2, 0}).cpu().contiguous();
  metrics::Picture result;
  result.height = static_cast<int>(hwc.size(0));
  result.width = static_cast<int>(hwc.size(1));
  result.channels = static_cast<int>(hwc.size(2));
  const std::uint8_t* data = hwc.const_data_ptr<std::uint8_t>();
  result.pixels.assign(data, data + hwc.numel());
  return result;
}

}  // namespace scorevi::run
