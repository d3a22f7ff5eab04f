// A rectangle of pixels inside an image. Private to data.
#pragma once

#include <cstdint>
#include <cstring>

#include "scorevi/core/check.h"
#include "scorevi/data/image_ops.h"

namespace scorevi::data {

inline io::Image make_image(Size size) {
  io::Image image;
  image.width = size.width;
  image.height = size.height;
  image.rgb.resize(static_cast<std::size_t>(3 * size.width * size.height));
  return image;
}

inline void check_image(const io::Image& image) {
  SCOREVI_CHECK(image.width >= 1 && image.height >= 1);
  SCOREVI_CHECK_OP(static_cast<std::int64_t>(image.rgb.size()) / image.width / 3, ==, image.height);
  SCOREVI_CHECK_OP(static_cast<std::int64_t>(image.rgb.size()) % (image.width * 3), ==, 0);
}

struct View {
  const std::uint8_t* rgb = nullptr;
  const std::uint8_t* end = nullptr;  // of the memory that may be read
  std::int64_t width = 0, height = 0;
  std::int64_t stride = 0;  // bytes from row to row

  static View of(const io::Image& image) {
    check_image(image);
    return {image.rgb.data(), image.rgb.data() + image.rgb.size(), image.width, image.height, 3 * image.width};
  }

  const std::uint8_t* row(std::int64_t y) const { return rgb + y * stride; }

  View part(Box box) const {
    SCOREVI_CHECK(box.width >= 1 && box.width <= width && box.left >= 0 && box.left <= width - box.width);
    SCOREVI_CHECK(box.height >= 1 && box.height <= height && box.top >= 0 && box.top <= height - box.height);
    return {row(box.top) + 3 * box.left, end, box.width, box.height, stride};
  }

  io::Image copy() const {
    io::Image image = make_image({width, height});
    for (std::int64_t y = 0; y < height; ++y) {
      std::memcpy(image.rgb.data() + 3 * width * y, row(y), static_cast<std::size_t>(3 * width));
    }
    return image;
  }
};

}  // namespace scorevi::data
