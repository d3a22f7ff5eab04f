// Operations on RGB images, each the same bytes as Pillow 12.1 as torchvision 0.26 calls it.
//
// All are functions of their arguments, thread safe, and allocate the result and one buffer between the two passes of
// a resize at most. An image has at least one pixel and exactly 3 * width * height bytes; anything else, and boxes
// outside an image, are our bugs (InternalError).
#pragma once

#include <cstdint>

#include "scorevi/io/image.h"

namespace scorevi::data {

struct Size {
  std::int64_t width = 0, height = 0;
};

struct Box {
  std::int64_t left = 0, top = 0, width = 0, height = 0;
};

// Bicubic has a = -0.5. Both widen with the scale when they shrink an image (antialias).
enum class ResizeFilter { kBilinear, kBicubic };

// How rotate and shear read the source.
enum class Sampling { kNearest, kBilinear };

// No resize makes more pixels than this: a strip of 1 x 100000 pixels must not become gigabytes.
inline constexpr std::int64_t kMaxResizedPixels = std::int64_t{1} << 28;

// Horizontal pass first, then the vertical one, rounded to bytes in between; a pass that changes nothing is left out.
// Weights are multiples of 2^-22, all arithmetic is in integers. Error kData: more than kMaxResizedPixels.
io::Image resize(const io::Image& image, Size size, ResizeFilter filter);

// The short side becomes `side`, the long one floor(side * long / short).
Size short_side_size(Size size, std::int64_t side);
io::Image resize_short_side(const io::Image& image, std::int64_t side, ResizeFilter filter);

io::Image crop(const io::Image& image, Box box);

// The box of `size` in the middle of an image of `outer`: offsets (outer - size) / 2, halves to the even number.
Box center_box(Size outer, Size size);

// resize_short_side, then the square of `crop` <= `side` in the middle; computes those pixels alone.
io::Image resize_and_center_crop(const io::Image& image, std::int64_t side, std::int64_t crop, ResizeFilter filter);

// crop, then resize, without the copy: pixels outside the box have no influence.
io::Image resized_crop(const io::Image& image, Box box, Size size, ResizeFilter filter);

io::Image flip_horizontal(io::Image image);

// Rotation about the centre, counter-clockwise, in degrees. Size stays; what comes from outside is black. Nearest works
// in steps of 2^-16 pixel, bilinear in double and truncates.
io::Image rotate(const io::Image& image, double degrees, Sampling sampling = Sampling::kNearest);

// Pixel (x, y) is read at (x + factor * y, y), or (x, y + factor * x); outside is black.
io::Image shear_x(const io::Image& image, double factor, Sampling sampling = Sampling::kNearest);
io::Image shear_y(const io::Image& image, double factor, Sampling sampling = Sampling::kNearest);

// Moves the content right and down by whole pixels; what comes from outside is black.
io::Image translate(const io::Image& image, std::int64_t right, std::int64_t down);

// A blend d + factor (p - d) in float, clipped and truncated, of the pixel p with
//   brightness: black; contrast: the mean grey of the image; saturation: the grey of the pixel; sharpness: the image
//   smoothed by a 3 x 3 kernel (1 1 1, 1 5 1, 1 1 1) / 13, its border kept.
// factor >= 0; 1 changes nothing. Grey = (19595 r + 38470 g + 7471 b + 32768) >> 16.
io::Image adjust_brightness(io::Image image, double factor);
io::Image adjust_contrast(io::Image image, double factor);
io::Image adjust_saturation(io::Image image, double factor);
io::Image adjust_sharpness(io::Image image, double factor);

// Turns the hue by `turns` in [-0.5, 0.5] of the circle, in bytes of HSV: trunc(255 turns) is added to the byte of the
// hue. Even 0 changes pixels, for the way through the bytes of HSV loses some.
io::Image adjust_hue(io::Image image, double turns);

// Keeps the highest `bits` bits, 0 to 8.
io::Image posterize(io::Image image, int bits);

// Inverts the values >= threshold.
io::Image solarize(io::Image image, double threshold);

// Per channel: stretches the values to 0 .. 255; flattens their histogram.
io::Image autocontrast(io::Image image);
io::Image equalize(io::Image image);

}  // namespace scorevi::data
