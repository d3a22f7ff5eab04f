// Resizing: which rows and columns are needed, and the two passes over them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "image_view.h"
#include "resample.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

using Bytes = std::unique_ptr<std::uint8_t[]>;

Bytes uninitialised(std::int64_t size) { return Bytes(new std::uint8_t[static_cast<std::size_t>(size)]); }

// Resamples all rows of `view` to rows `stride` apart. Rows at the end of the image's memory are copied first, where
// the kernel can read on behind them.
void horizontal_pass(const View& view, const Taps& taps, std::uint8_t* out, std::int64_t stride) {
  const ResampleKernels& kernels = resample_kernels();
  const std::int64_t padded = 3 * view.width + kReadableAfter;
  Bytes copies;
  for (std::int64_t y = 0; y < view.height; y += kRows) {
    const std::uint8_t* from[kRows];
    std::uint8_t* to[kRows];
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t row = std::min(y + r, view.height - 1);
      from[r] = view.row(row);
      to[r] = out + row * stride;
      if (view.end - from[r] >= padded) continue;
      if (copies == nullptr) copies = Bytes(new std::uint8_t[static_cast<std::size_t>(kRows * padded)]());
      std::uint8_t* copy = copies.get() + r * padded;
      std::memcpy(copy, from[r], static_cast<std::size_t>(3 * view.width));
      from[r] = copy;
    }
    kernels.horizontal(taps, from, to);
  }
}

void vertical_pass(const View& view, const Taps& taps, std::uint8_t* out) {
  const ResampleKernels& kernels = resample_kernels();
  const std::int64_t bytes = 3 * view.width;
  for (std::int64_t y = 0; y < taps.outputs(); ++y) {
    kernels.vertical(taps, y, view.rgb, view.stride, bytes, out + y * bytes);
  }
}

// The pixels of `window` in the resize of `view` to `size`.
io::Image resize_window(View view, Size size, Box window, ResizeFilter filter) {
  const bool narrow = size.width != view.width;
  const bool flatten = size.height != view.height;
  Taps rows;
  if (flatten) {
    rows = make_taps(filter, view.height, size.height, window.top, window.height);
    const std::int64_t first = rows.first.front();
    view = view.part({0, first, view.width, rows.first.back() + rows.count.back() - first});
    for (std::int64_t& row : rows.first) row -= first;
  } else {
    view = view.part({0, window.top, view.width, window.height});
  }
  Bytes between;
  if (narrow) {
    const Taps columns = make_taps(filter, view.width, size.width, window.left, window.width);
    const std::int64_t stride = 3 * window.width + kWritableAfter;
    between = uninitialised(stride * view.height);
    horizontal_pass(view, columns, between.get(), stride);
    view = {between.get(), between.get() + stride * view.height, window.width, view.height, stride};
  } else {
    view = view.part({window.left, 0, window.width, view.height});
  }
  if (!flatten) return view.copy();
  io::Image result = make_image({window.width, window.height});
  vertical_pass(view, rows, result.rgb.data());
  return result;
}

void check_size(Size size) {
  SCOREVI_CHECK(size.width >= 1 && size.height >= 1);
  if (size.width <= kMaxResizedPixels / size.height) return;
  throw Error(ErrorKind::kData, fmt::format("image: resize, got {} x {} pixels, expected at most {} in all", size.width,
                                            size.height, kMaxResizedPixels));
}

std::int64_t half_to_even(std::int64_t difference) {
  const std::int64_t half = difference / 2;
  return half + (difference % 2 == 1 && half % 2 == 1 ? 1 : 0);
}

}  // namespace

io::Image resize(const io::Image& image, Size size, ResizeFilter filter) {
  check_size(size);
  return resize_window(View::of(image), size, {0, 0, size.width, size.height}, filter);
}

Size short_side_size(Size size, std::int64_t side) {
  const std::int64_t shorter = std::min(size.width, size.height);
  const std::int64_t longer = std::max(size.width, size.height);
  SCOREVI_CHECK(shorter >= 1 && side >= 1 && longer <= INT64_MAX / side);
  const std::int64_t stretched = side * longer / shorter;
  return size.width <= size.height ? Size{side, stretched} : Size{stretched, side};
}

io::Image resize_short_side(const io::Image& image, std::int64_t side, ResizeFilter filter) {
  return resize(image, short_side_size({image.width, image.height}, side), filter);
}

Box center_box(Size outer, Size size) {
  SCOREVI_CHECK(size.width <= outer.width && size.height <= outer.height);
  return {half_to_even(outer.width - size.width), half_to_even(outer.height - size.height), size.width, size.height};
}

io::Image resize_and_center_crop(const io::Image& image, std::int64_t side, std::int64_t crop, ResizeFilter filter) {
  const Size size = short_side_size({image.width, image.height}, side);
  check_size({crop, crop});
  return resize_window(View::of(image), size, center_box(size, {crop, crop}), filter);
}

io::Image resized_crop(const io::Image& image, Box box, Size size, ResizeFilter filter) {
  check_size(size);
  return resize_window(View::of(image).part(box), size, {0, 0, size.width, size.height}, filter);
}

}  // namespace scorevi::data
