#include "scorevi/data/augment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "augment_draws.h"
#include "image_view.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

constexpr int kTries = 10;
constexpr std::int64_t kMaxSize = 4096;
constexpr std::int64_t kMaxOperations = 100;
constexpr std::int64_t kMaxMagnitude = 30;

template <class Value>
void check_range(const char* name, Value value, Value low, Value high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorKind::kUsage, fmt::format("augment.{}: got {}, expected {} to {}", name, value, low, high));
}

// 0 < low <= high <= most
void check_interval(const char* name, double low, double high, double most) {
  if (low > 0.0 && low <= high && high <= most) return;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("augment.{0}_min, {0}_max: got {1} and {2}, expected 0 < min <= max <= {3}", name, low, high, most));
}

io::Image cut_out(const io::Image& image, const AugmentOptions& options, const AugmentKey& key) {
  if (!options.random_resized_crop) {
    io::Image middle = resize_and_center_crop(image, options.resize, options.size, options.filter);
    if (options.shift == 0) return middle;
    Draws draws(key, Stage::kShift);
    const std::int64_t right = draws.below(2 * options.shift + 1) - options.shift;
    return translate(middle, right, draws.below(2 * options.shift + 1) - options.shift);
  }
  const Box box = draw_crop(options, {image.width, image.height}, Draws(key, Stage::kCrop));
  return resized_crop(image, box, {options.size, options.size}, options.filter);
}

io::Image jitter(io::Image image, const JitterOptions& options, Draws draws) {
  std::array<int, 4> order;
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 3; i > 0; --i) {
    std::swap(order[i], order[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(i) + 1))]);
  }
  const auto factor = [&](double width) { return draws.uniform(std::max(0.0, 1.0 - width), 1.0 + width); };
  const double brightness = factor(options.brightness);
  const double contrast = factor(options.contrast);
  const double saturation = factor(options.saturation);
  const double turns = draws.uniform(-options.hue, options.hue);
  for (const int property : order) {
    if (property == 0 && options.brightness > 0.0) image = adjust_brightness(std::move(image), brightness);
    if (property == 1 && options.contrast > 0.0) image = adjust_contrast(std::move(image), contrast);
    if (property == 2 && options.saturation > 0.0) image = adjust_saturation(std::move(image), saturation);
    if (property == 3 && options.hue > 0.0) image = adjust_hue(std::move(image), turns);
  }
  return image;
}

// Four values from each block, unlike CounterRng::normal.
void fill_with_noise(const AugmentKey& key, std::vector<float>& values) {
  const PhiloxKey philox = philox_key(key.seed);
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const PhiloxCounter counter = philox_counter((first_word(Stage::kNoise) + i) / 4, Purpose::kAugmentation,
                                                 counter_word(key.epoch), counter_word(key.row));
    const PhiloxWords words = philox4x32_10(counter, philox);
    const NormalPair a = normal_from_words(words.w[0], words.w[1]);
    const NormalPair b = normal_from_words(words.w[2], words.w[3]);
    const std::array<double, 4> four = {a.first, a.second, b.first, b.second};
    const std::size_t count = std::min<std::size_t>(4, values.size() - i);
    for (std::size_t k = 0; k < count; ++k) values[i + k] = static_cast<float>(four[k]);
  }
}

}  // namespace

void validate(const AugmentOptions& options) {
  constexpr double kMaxRatio = 1e3;
  constexpr double kMaxFactor = 1e3;
  check_range<std::int64_t>("size", options.size, 1, kMaxSize);
  check_range<std::int64_t>("resize", options.resize, options.random_resized_crop ? 1 : options.size, kMaxSize);
  check_range<std::int64_t>("shift", options.shift, 0, options.size);
  check_interval("scale", options.scale_min, options.scale_max, 1.0);
  check_interval("ratio", options.ratio_min, options.ratio_max, kMaxRatio);
  check_range("flip", options.flip, 0.0, 1.0);
  check_range("rotation", options.rotation, 0.0, 180.0);
  check_range("jitter.brightness", options.jitter.brightness, 0.0, kMaxFactor);
  check_range("jitter.contrast", options.jitter.contrast, 0.0, kMaxFactor);
  check_range("jitter.saturation", options.jitter.saturation, 0.0, kMaxFactor);
  check_range("jitter.hue", options.jitter.hue, 0.0, 0.5);
  check_range<std::int64_t>("rand_augment", options.rand_augment, 0, kMaxOperations);
  check_range<std::int64_t>("rand_magnitude", options.rand_magnitude, 0, kMaxMagnitude);
  check_range("erasing.probability", options.erasing.probability, 0.0, 1.0);
  check_interval("erasing.scale", options.erasing.scale_min, options.erasing.scale_max, 1.0);
  check_interval("erasing.ratio", options.erasing.ratio_min, options.erasing.ratio_max, kMaxRatio);
  if (options.trivial_augment && options.rand_augment > 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("augment.trivial_augment: got true with rand_augment {}, expected one of the two",
                            options.rand_augment));
  }
}

Box draw_crop(const AugmentOptions& options, Size image, Draws draws) {
  const double area = static_cast<double>(image.width) * static_cast<double>(image.height);
  for (int i = 0; i < kTries; ++i) {
    const auto [width, height] =
        draw_sides(draws, area, options.scale_min, options.scale_max, options.ratio_min, options.ratio_max);
    if (width < 1 || width > image.width || height < 1 || height > image.height) continue;
    const std::int64_t top = draws.below(image.height - height + 1);
    return {draws.below(image.width - width + 1), top, width, height};
  }
  Size size = image;
  const double ratio = static_cast<double>(image.width) / static_cast<double>(image.height);
  if (ratio < options.ratio_min) {
    size.height = std::llrint(static_cast<double>(image.width) / options.ratio_min);
  } else if (ratio > options.ratio_max) {
    size.width = std::llrint(static_cast<double>(image.height) * options.ratio_max);
  }
  size = {std::max<std::int64_t>(size.width, 1), std::max<std::int64_t>(size.height, 1)};
  return {(image.width - size.width) / 2, (image.height - size.height) / 2, size.width, size.height};
}

io::Image augment(const io::Image& image, const AugmentOptions& options, const AugmentKey& key) {
  io::Image result = cut_out(image, options, key);
  if (Draws(key, Stage::kFlip).with_probability(options.flip)) result = flip_horizontal(std::move(result));
  if (options.rotation > 0.0) {
    const double degrees = Draws(key, Stage::kRotation).uniform(-options.rotation, options.rotation);
    result = rotate(result, degrees, options.sampling);
  }
  result = jitter(std::move(result), options.jitter, Draws(key, Stage::kJitter));
  if (options.rand_augment > 0) {
    result = rand_augment(std::move(result), options, Draws(key, Stage::kRandAugment));
  }
  if (options.trivial_augment) {
    result = trivial_augment(std::move(result), options, Draws(key, Stage::kTrivialAugment));
  }
  return result;
}

void erase(const ErasingOptions& options, const AugmentKey& key, std::int64_t channels, Size size, float* values) {
  Draws draws(key, Stage::kErasing);
  if (!draws.with_probability(options.probability)) return;
  const double area = static_cast<double>(size.width) * static_cast<double>(size.height);
  for (int i = 0; i < kTries; ++i) {
    const auto [height, width] =
        draw_sides(draws, area, options.scale_min, options.scale_max, options.ratio_min, options.ratio_max);
    if (height >= size.height || width >= size.width) continue;
    const std::int64_t top = draws.below(size.height - height + 1);
    const std::int64_t left = draws.below(size.width - width + 1);
    std::vector<float> fill(static_cast<std::size_t>(channels * height * width), 0.0f);
    if (options.noise) fill_with_noise(key, fill);
    for (std::int64_t row = 0; row < channels * height; ++row) {
      const std::int64_t y = row / height * size.height + top + row % height;
      std::copy_n(fill.data() + row * width, width, values + y * size.width + left);
    }
    return;
  }
}

std::int64_t view_count(TestViews views) {
  switch (views) {
    case TestViews::kCenter:
      return 1;
    case TestViews::kFlip:
      return 2;
    case TestViews::kFiveCrop:
      return 5;
    case TestViews::kTenCrop:
      return 10;
  }
  return 1;
}

io::Image test_view(const io::Image& image, TestViews views, std::int64_t view, std::int64_t resize, std::int64_t size,
                    ResizeFilter filter) {
  SCOREVI_CHECK(view >= 0 && view < view_count(views));
  const bool mirrored = (views == TestViews::kFlip && view == 1) || view >= 5;
  io::Image result;
  if (views == TestViews::kCenter || views == TestViews::kFlip) {
    result = resize_and_center_crop(image, resize, size, filter);
  } else {
    const io::Image whole = resize_short_side(image, resize, filter);
    const std::int64_t right = whole.width - size;
    const std::int64_t bottom = whole.height - size;
    const std::array<Box, 5> boxes = {Box{0, 0, size, size}, Box{right, 0, size, size}, Box{0, bottom, size, size},
                                      Box{right, bottom, size, size},
                                      center_box({whole.width, whole.height}, {size, size})};
    result = crop(whole, boxes[static_cast<std::size_t>(view % 5)]);
  }
  return mirrored ? flip_horizontal(std::move(result)) : result;
}

}  // namespace scorevi::data
