#include "scorevi/data/pictures.h"

#include <fmt/format.h>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::data {

io::Image evaluation_view(const io::Image& image, const PictureForm& form, const std::string& name) {
  if (form.resize > 0) return resize_and_center_crop(image, form.resize, form.size, form.filter);
  if (image.width != form.size || image.height != form.size)
    throw Error(ErrorKind::kData, fmt::format("{}: {} x {} pixels, expected {} x {}; data.image.resize brings all "
                                              "pictures to one size",
                                              name, image.width, image.height, form.size, form.size));
  return image;
}

PictureArray::PictureArray(std::shared_ptr<const std::uint8_t> values, std::int64_t rows, std::int64_t height,
                           std::int64_t width)
    : values_(std::move(values)), rows_(rows), height_(height), width_(width) {}

io::Image PictureArray::load(std::int64_t row) const {
  SCOREVI_CHECK(row >= 0 && row < rows_);
  const std::int64_t plane = height_ * width_;
  const std::uint8_t* first = values_.get() + row * 3 * plane;
  io::Image image;
  image.width = width_;
  image.height = height_;
  image.rgb.resize(static_cast<std::size_t>(3 * plane));
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < plane; ++i) image.rgb[static_cast<std::size_t>(3 * i + c)] = first[c * plane + i];
  return image;
}

std::string PictureArray::name(std::int64_t row) const { return fmt::format("row {}", row); }

std::string PictureArray::identity(std::int64_t row) const { return fmt::format("{}", row); }

}  // namespace scorevi::data
