// Posterize, solarize, autocontrast, equalize: one table per image or channel.
#include <algorithm>

#include "image_table.h"
#include "image_view.h"

namespace scorevi::data {
namespace {

using Histogram = std::array<std::int64_t, 256>;

template <class Value>
Table make_table(Value&& value) {
  Table table;
  for (int v = 0; v < 256; ++v) table[static_cast<std::size_t>(v)] = value(v);
  return table;
}

// `table_of` makes a channel's table from its histogram.
void apply_per_channel(io::Image& image, Table (*table_of)(const Histogram&)) {
  check_image(image);
  std::array<Histogram, 3> counts{};
  for (std::size_t k = 0; k < image.rgb.size(); k += 3) {
    for (std::size_t channel = 0; channel < 3; ++channel) ++counts[channel][image.rgb[k + channel]];
  }
  const std::array<Table, 3> tables = {table_of(counts[0]), table_of(counts[1]), table_of(counts[2])};
  for (std::size_t k = 0; k < image.rgb.size(); k += 3) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      image.rgb[k + channel] = tables[channel][image.rgb[k + channel]];
    }
  }
}

std::uint8_t same(int value) { return static_cast<std::uint8_t>(value); }

Table stretched(const Histogram& counts) {
  const auto filled = [](std::int64_t count) { return count > 0; };
  const auto lowest = std::find_if(counts.begin(), counts.end(), filled) - counts.begin();
  const auto highest = counts.rend() - std::find_if(counts.rbegin(), counts.rend(), filled) - 1;
  if (highest <= lowest) return make_table(same);
  const double scale = 255.0 / static_cast<double>(highest - lowest);
  const double offset = -static_cast<double>(lowest) * scale;
  return make_table(
      [&](int v) { return static_cast<std::uint8_t>(std::clamp(static_cast<int>(v * scale + offset), 0, 255)); });
}

// Each level takes its share of 255 steps; the highest level that occurs does not count towards the step.
Table flattened(const Histogram& counts) {
  std::int64_t total = 0;
  std::int64_t highest = 0;
  for (const std::int64_t count : counts) {
    total += count;
    if (count > 0) highest = count;
  }
  const std::int64_t step = (total - highest) / 255;
  if (step == 0) return make_table(same);
  std::int64_t below = step / 2;
  return make_table([&](int v) {
    const auto level = static_cast<std::uint8_t>(std::min<std::int64_t>(below / step, 255));
    below += counts[static_cast<std::size_t>(v)];
    return level;
  });
}

}  // namespace

io::Image posterize(io::Image image, int bits) {
  check_image(image);
  SCOREVI_CHECK(bits >= 0 && bits <= 8);
  const int mask = 0xFF & ~((1 << (8 - bits)) - 1);
  apply_table(make_table([mask](int v) { return static_cast<std::uint8_t>(v & mask); }), image);
  return image;
}

io::Image solarize(io::Image image, double threshold) {
  check_image(image);
  apply_table(make_table([threshold](int v) { return static_cast<std::uint8_t>(v < threshold ? v : 255 - v); }), image);
  return image;
}

io::Image autocontrast(io::Image image) {
  apply_per_channel(image, stretched);
  return image;
}

io::Image equalize(io::Image image) {
  apply_per_channel(image, flattened);
  return image;
}

}  // namespace scorevi::data
