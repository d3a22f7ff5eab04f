// The random choices behind augment(). Private to data.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/data/augment.h"

namespace scorevi::data {

// Who draws: each stage has 2^32 words. Never renumber, runs depend on it.
enum class Stage : std::uint64_t {
  kCrop = 0,
  kFlip = 1,
  kRotation = 2,
  kJitter = 3,
  kRandAugment = 4,
  kTrivialAugment = 5,
  kErasing = 6,
  kNoise = 7,
  kShift = 8,
};

// The first word of a stage.
inline std::uint64_t first_word(Stage stage) { return static_cast<std::uint64_t>(stage) << 32; }

// Epoch or row as a word of the counter.
inline std::uint32_t counter_word(std::int64_t value) {
  SCOREVI_CHECK(value >= 0 && value <= std::int64_t{UINT32_MAX});
  return static_cast<std::uint32_t>(value);
}

// The draws of one stage for one row of one epoch, one after the other.
class Draws {
 public:
  Draws(const AugmentKey& key, Stage stage)
      : rng_(key.seed, Purpose::kAugmentation, counter_word(key.epoch), counter_word(key.row)),
        next_(first_word(stage)) {}

  double uniform(double low, double high) { return low + (high - low) * rng_.uniform(next_++); }

  bool with_probability(double p) { return rng_.uniform(next_++) < p; }

  // 0 .. n - 1.
  std::int64_t below(std::int64_t n) {
    next_ += next_ & 1;  // a draw takes two words from an even one on
    const std::uint64_t value = rng_.below(static_cast<std::uint64_t>(n), next_ / 2);
    next_ += 2;
    return static_cast<std::int64_t>(value);
  }

 private:
  CounterRng rng_;
  std::uint64_t next_;
};

// Sides of a box of `area` * uniform(scale) pixels: sqrt(area * ratio) and sqrt(area / ratio), the logarithm of the
// ratio uniform. Rounded, halves to the even number.
inline std::pair<std::int64_t, std::int64_t> draw_sides(Draws& draws, double area, double scale_min, double scale_max,
                                                        double ratio_min, double ratio_max) {
  const double target = area * draws.uniform(scale_min, scale_max);
  const double ratio = std::exp(draws.uniform(std::log(ratio_min), std::log(ratio_max)));
  return {std::llrint(std::sqrt(target * ratio)), std::llrint(std::sqrt(target / ratio))};
}

// The box of a random resized crop. After ten boxes that do not fit: the largest one in the middle whose ratio is
// allowed.
Box draw_crop(const AugmentOptions& options, Size image, Draws draws);

// RandAugment and TrivialAugment.
io::Image rand_augment(io::Image image, const AugmentOptions& options, Draws draws);
io::Image trivial_augment(io::Image image, const AugmentOptions& options, Draws draws);

}  // namespace scorevi::data
