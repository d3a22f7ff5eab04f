// Crop, flip, and the affine operations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "image_view.h"
#include "scorevi/core/numbers.h"

namespace scorevi::data {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Output pixel (x, y) is read at (m[0] X + m[1] Y + m[2], m[3] X + m[4] Y + m[5]), X = x + 1/2, Y = y + 1/2.
using Matrix = std::array<double, 6>;

bool inside(std::int64_t x, std::int64_t size) {
  return static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(size);
}

std::int64_t to_fixed(double value) { return static_cast<std::int64_t>(std::floor(value * 65536.0 + 0.5)); }

io::Image affine_nearest(const View& view, const Matrix& m) {
  io::Image result = make_image({view.width, view.height});
  const std::int64_t x_step = to_fixed(m[0]);
  const std::int64_t y_step = to_fixed(m[3]);
  std::int64_t x_start = to_fixed(m[2] + m[0] * 0.5 + m[1] * 0.5);
  std::int64_t y_start = to_fixed(m[5] + m[3] * 0.5 + m[4] * 0.5);
  std::uint8_t* out = result.rgb.data();
  for (std::int64_t y = 0; y < view.height; ++y, x_start += to_fixed(m[1]), y_start += to_fixed(m[4])) {
    std::int64_t from_x = x_start;
    std::int64_t from_y = y_start;
    for (std::int64_t x = 0; x < view.width; ++x, out += 3, from_x += x_step, from_y += y_step) {
      if (!inside(from_x >> 16, view.width) || !inside(from_y >> 16, view.height)) continue;
      std::memcpy(out, view.row(from_y >> 16) + 3 * (from_x >> 16), 3);
    }
  }
  return result;
}

// std::floor is a call where the processor may lack the instruction.
std::int64_t floor_of(double value) {
  const auto truncated = static_cast<std::int64_t>(value);
  return truncated - (value < static_cast<double>(truncated) ? 1 : 0);
}

// The four neighbours of (x, y), which counts from the centre of the first pixel; beyond the edge the edge repeats.
void interpolate(const View& view, double x, double y, std::uint8_t* out) {
  const std::int64_t column = floor_of(x);
  const std::int64_t line = floor_of(y);
  const double to_right = x - static_cast<double>(column);
  const double down = y - static_cast<double>(line);
  const std::int64_t first = 3 * std::max<std::int64_t>(column, 0);
  const std::int64_t second = 3 * std::min(column + 1, view.width - 1);
  const std::uint8_t* upper = view.row(std::max<std::int64_t>(line, 0));
  const std::uint8_t* lower = view.row(std::min(line + 1, view.height - 1));
  for (int channel = 0; channel < 3; ++channel) {
    const double a = upper[first + channel];
    const double b = upper[second + channel];
    const double c = lower[first + channel];
    const double d = lower[second + channel];
    const double above = a + (b - a) * to_right;
    const double below = c + (d - c) * to_right;
    out[channel] = static_cast<std::uint8_t>(above + (below - above) * down);
  }
}

io::Image affine_bilinear(const View& view, const Matrix& m) {
  io::Image result = make_image({view.width, view.height});
  const auto width = static_cast<double>(view.width);
  const auto height = static_cast<double>(view.height);
  std::uint8_t* out = result.rgb.data();
  for (std::int64_t y = 0; y < view.height; ++y) {
    const double to_y = static_cast<double>(y) + 0.5;
    for (std::int64_t x = 0; x < view.width; ++x, out += 3) {
      const double to_x = static_cast<double>(x) + 0.5;
      const double from_x = m[0] * to_x + m[1] * to_y + m[2];
      const double from_y = m[3] * to_x + m[4] * to_y + m[5];
      if (!(from_x >= 0.0 && from_x < width && from_y >= 0.0 && from_y < height)) continue;
      interpolate(view, from_x - 0.5, from_y - 0.5, out);
    }
  }
  return result;
}

io::Image affine(const io::Image& image, const Matrix& matrix, Sampling sampling) {
  const View view = View::of(image);
  for (const double entry : matrix) SCOREVI_CHECK(std::abs(entry) <= 1e9);  // what the fixed point holds
  return sampling == Sampling::kNearest ? affine_nearest(view, matrix) : affine_bilinear(view, matrix);
}

// The decimal number nearest to `value` with 15 digits after the point: makes the right angles exact.
double round_to_15_decimals(double value) { return *parse_double(fmt::format("{:.15f}", value)); }

// A slope by way of its angle in degrees, for the same last bit as torchvision.
double slope_of(double factor) {
  const double degrees = std::atan(factor) * (180.0 / kPi);
  return std::tan(degrees * (kPi / 180.0));
}

}  // namespace

io::Image crop(const io::Image& image, Box box) { return View::of(image).part(box).copy(); }

io::Image flip_horizontal(io::Image image) {
  check_image(image);
  for (std::int64_t y = 0; y < image.height; ++y) {
    std::uint8_t* left = image.rgb.data() + 3 * image.width * y;
    std::uint8_t* right = left + 3 * (image.width - 1);
    for (; left < right; left += 3, right -= 3) {
      std::uint8_t pixel[3];
      std::memcpy(pixel, left, 3);
      std::memcpy(left, right, 3);
      std::memcpy(right, pixel, 3);
    }
  }
  return image;
}

io::Image rotate(const io::Image& image, double degrees, Sampling sampling) {
  double turn = std::fmod(degrees, 360.0);
  if (turn < 0.0) turn += 360.0;
  const double radians = -(turn * (kPi / 180.0));
  const double c = round_to_15_decimals(std::cos(radians));
  const double s = round_to_15_decimals(std::sin(radians));
  const double x = static_cast<double>(image.width) / 2.0;
  const double y = static_cast<double>(image.height) / 2.0;
  return affine(image, {c, s, (c * -x + s * -y) + x, -s, c, (-s * -x + c * -y) + y}, sampling);
}

io::Image shear_x(const io::Image& image, double factor, Sampling sampling) {
  return affine(image, {1.0, slope_of(factor), 0.0, 0.0, 1.0, 0.0}, sampling);
}

io::Image shear_y(const io::Image& image, double factor, Sampling sampling) {
  return affine(image, {1.0, 0.0, 0.0, slope_of(factor), 1.0, 0.0}, sampling);
}

io::Image translate(const io::Image& image, std::int64_t right, std::int64_t down) {
  const View view = View::of(image);
  const auto limit = [](std::int64_t shift, std::int64_t size) { return std::clamp(shift, -size, size); };
  right = limit(right, view.width);
  down = limit(down, view.height);
  io::Image result = make_image({view.width, view.height});
  const auto bytes = static_cast<std::size_t>(3 * (view.width - std::abs(right)));
  const std::int64_t from_left = std::max<std::int64_t>(0, -right);
  const std::int64_t to_left = std::max<std::int64_t>(0, right);
  for (std::int64_t y = std::max<std::int64_t>(0, down); y < view.height + std::min<std::int64_t>(0, down); ++y) {
    std::memcpy(result.rgb.data() + y * view.stride + 3 * to_left, view.row(y - down) + 3 * from_left, bytes);
  }
  return result;
}

}  // namespace scorevi::data
