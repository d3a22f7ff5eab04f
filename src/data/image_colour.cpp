// Brightness, contrast, saturation, hue, sharpness.
#include <algorithm>
#include <array>
#include <cmath>

#include "image_table.h"
#include "image_view.h"

namespace scorevi::data {
namespace {

constexpr std::int64_t kBlock = 256;  // pixels that a buffer on the stack holds
constexpr double kHalf = 0.5;         // rounds positive numbers

std::uint8_t grey_of(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >> 16);
}

std::uint8_t blend(int from, int to, float factor) {
  const float value = static_cast<float>(from) + factor * static_cast<float>(to - from);
  return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f));
}

void blend_with(const std::uint8_t* from, std::uint8_t* pixels, std::int64_t bytes, float factor) {
  for (std::int64_t k = 0; k < bytes; ++k) pixels[k] = blend(from[k], pixels[k], factor);
}

float checked_factor(const io::Image& image, double factor) {
  check_image(image);
  SCOREVI_CHECK(factor >= 0.0 && factor <= 1e6);
  return static_cast<float>(factor);
}

void blend_with_value(io::Image& image, int from, float factor) {
  Table table;
  for (int v = 0; v < 256; ++v) table[static_cast<std::size_t>(v)] = blend(from, v, factor);
  apply_table(table, image);
}

// Row y smoothed, its first and last pixel left out. Sums of at most 13 * 255, divided with rounding.
void smooth_row(const io::Image& image, std::int64_t y, std::uint16_t* columns, std::uint8_t* out) {
  const std::int64_t bytes = 3 * image.width;
  const std::uint8_t* above = image.rgb.data() + (y - 1) * bytes;
  const std::uint8_t* row = above + bytes;
  const std::uint8_t* below = row + bytes;
  for (std::int64_t k = 0; k < bytes; ++k) columns[k] = static_cast<std::uint16_t>(above[k] + row[k] + below[k]);
  for (std::int64_t k = 3; k < bytes - 3; ++k) {
    const auto sum = static_cast<std::uint16_t>(columns[k - 3] + columns[k] + columns[k + 3] + 4 * row[k]);
    out[k] = static_cast<std::uint8_t>(static_cast<std::uint16_t>(2 * sum + 13) / 26);
  }
}

// The bytes of hue and saturation, and the largest channel. Single and double precision as in Pillow.
struct Hsv {
  int hue, saturation, value;
};

Hsv to_hsv(int red, int green, int blue) {
  const int value = std::max(red, std::max(green, blue));
  const int range = value - std::min(red, std::min(green, blue));
  if (range == 0) return {0, 0, value};
  const auto span = static_cast<float>(range);
  const auto below = [&](int channel) { return static_cast<float>(value - channel) / span; };
  float sixths;
  if (red == value) {
    sixths = below(blue) - below(green);
  } else if (green == value) {
    sixths = static_cast<float>(2.0 + static_cast<double>(below(red)) - static_cast<double>(below(blue)));
  } else {
    sixths = static_cast<float>(4.0 + static_cast<double>(below(green)) - static_cast<double>(below(red)));
  }
  double turns = static_cast<double>(sixths) / 6.0 + 1.0;
  if (turns >= 1.0) turns -= 1.0;
  const int hue = static_cast<int>(static_cast<double>(static_cast<float>(turns)) * 255.0);
  return {hue, static_cast<int>(static_cast<double>(span / static_cast<float>(value)) * 255.0), value};
}

// For each byte of the hue: which channels hold the value, the lowest and the one between, and where in the sixth.
struct HueEntry {
  std::array<std::uint8_t, 3> source;  // per channel: 0 the value, 1 lowest, 2 falling, 3 rising
  float within;
};

std::array<HueEntry, 256> make_hue_entries() {
  constexpr std::array<std::array<std::uint8_t, 3>, 6> kSources = {
      {{0, 3, 1}, {2, 0, 1}, {1, 0, 3}, {1, 2, 0}, {3, 1, 0}, {0, 1, 2}}};
  std::array<HueEntry, 256> entries{};
  for (std::size_t hue = 0; hue < entries.size(); ++hue) {
    const double sixths = static_cast<double>(hue) * 6.0 / 255.0;
    const double sixth = std::floor(sixths);
    entries[hue].source = kSources[static_cast<std::size_t>(sixth) % 6];
    entries[hue].within = static_cast<float>(sixths - sixth);
  }
  return entries;
}

void to_rgb(const Hsv& hsv, const HueEntry& entry, std::uint8_t* rgb) {
  const auto share = static_cast<float>(static_cast<double>(hsv.saturation) / 255.0);
  const auto scaled = [&](double factor) { return static_cast<std::uint8_t>(hsv.value * factor + kHalf); };
  const std::uint8_t levels[4] = {static_cast<std::uint8_t>(hsv.value), scaled(1.0 - static_cast<double>(share)),
                                  scaled(1.0 - static_cast<double>(share * entry.within)),
                                  scaled(1.0 - static_cast<double>(share) * (1.0 - static_cast<double>(entry.within)))};
  for (std::size_t channel = 0; channel < 3; ++channel) rgb[channel] = levels[entry.source[channel]];
}

}  // namespace

io::Image adjust_brightness(io::Image image, double factor) {
  blend_with_value(image, 0, checked_factor(image, factor));
  return image;
}

io::Image adjust_contrast(io::Image image, double factor) {
  const float f = checked_factor(image, factor);
  std::int64_t sum = 0;
  const std::int64_t pixels = image.width * image.height;
  for (std::int64_t i = 0; i < pixels; ++i) sum += grey_of(image.rgb.data() + 3 * i);
  blend_with_value(image, static_cast<int>(static_cast<double>(sum) / static_cast<double>(pixels) + kHalf), f);
  return image;
}

io::Image adjust_saturation(io::Image image, double factor) {
  const float f = checked_factor(image, factor);
  const std::int64_t pixels = image.width * image.height;
  for (std::int64_t begin = 0; begin < pixels; begin += kBlock) {
    std::uint8_t* block = image.rgb.data() + 3 * begin;
    const std::int64_t count = std::min(kBlock, pixels - begin);
    std::uint8_t grey[3 * kBlock];
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint8_t g = grey_of(block + 3 * i);
      for (std::int64_t channel = 0; channel < 3; ++channel) grey[3 * i + channel] = g;
    }
    blend_with(grey, block, 3 * count, f);
  }
  return image;
}

io::Image adjust_sharpness(io::Image image, double factor) {
  const float f = checked_factor(image, factor);
  if (image.width < 3 || image.height < 3) return image;
  const io::Image source = image;
  const std::int64_t bytes = 3 * image.width;
  std::vector<std::uint16_t> columns(static_cast<std::size_t>(bytes));
  std::vector<std::uint8_t> smooth(static_cast<std::size_t>(bytes));
  for (std::int64_t y = 1; y < image.height - 1; ++y) {
    smooth_row(source, y, columns.data(), smooth.data());
    blend_with(smooth.data() + 3, image.rgb.data() + y * bytes + 3, bytes - 6, f);
  }
  return image;
}

io::Image adjust_hue(io::Image image, double turns) {
  check_image(image);
  SCOREVI_CHECK(turns >= -0.5 && turns <= 0.5);
  static const std::array<HueEntry, 256> kEntries = make_hue_entries();
  const int shift = static_cast<int>(turns * 255.0);
  for (std::uint8_t* p = image.rgb.data(); p != image.rgb.data() + image.rgb.size(); p += 3) {
    const Hsv hsv = to_hsv(p[0], p[1], p[2]);
    to_rgb(hsv, kEntries[static_cast<std::size_t>((hsv.hue + shift) & 255)], p);
  }
  return image;
}

}  // namespace scorevi::data
