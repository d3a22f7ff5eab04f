// RandAugment and TrivialAugment: 14 operations, their strength one of 31 levels.
#include <array>
#include <cmath>

#include "augment_draws.h"

namespace scorevi::data {
namespace {

constexpr int kLevels = 31;

// An operation with a strength that may be negative.
using Apply = void (*)(io::Image& image, double strength, Sampling sampling);

enum class Range {
  kNone,     // strength 0 at each level
  kLinear,   // from 0 at level 0
  kOfWidth,  // the same, times the width or height of the image
  kOfHeight,
  kBits,       // from 8 bits downwards
  kThreshold,  // from 255 down to 0
};

struct Operation {
  Apply apply;
  Range range;
  bool signed_strength;
  double rand_top;  // at the highest level, for RandAugment
  Range trivial_range;
  double trivial_top;  // for TrivialAugment
};

void keep(io::Image&, double, Sampling) {}
void lean_x(io::Image& image, double s, Sampling sampling) { image = shear_x(image, s, sampling); }
void lean_y(io::Image& image, double s, Sampling sampling) { image = shear_y(image, s, sampling); }
void move_right(io::Image& image, double s, Sampling) { image = translate(image, static_cast<std::int64_t>(s), 0); }
void move_down(io::Image& image, double s, Sampling) { image = translate(image, 0, static_cast<std::int64_t>(s)); }
void turn(io::Image& image, double s, Sampling sampling) { image = rotate(image, s, sampling); }
void brighten(io::Image& image, double s, Sampling) { image = adjust_brightness(std::move(image), 1.0 + s); }
void saturate(io::Image& image, double s, Sampling) { image = adjust_saturation(std::move(image), 1.0 + s); }
void contrast(io::Image& image, double s, Sampling) { image = adjust_contrast(std::move(image), 1.0 + s); }
void sharpen(io::Image& image, double s, Sampling) { image = adjust_sharpness(std::move(image), 1.0 + s); }
void drop_bits(io::Image& image, double s, Sampling) { image = posterize(std::move(image), static_cast<int>(s)); }
void invert_above(io::Image& image, double s, Sampling) { image = solarize(std::move(image), s); }
void stretch(io::Image& image, double, Sampling) { image = autocontrast(std::move(image)); }
void flatten(io::Image& image, double, Sampling) { image = equalize(std::move(image)); }

constexpr double kMostMoved = 150.0 / 331.0;

const std::array<Operation, 14> kOperations = {{
    {keep, Range::kNone, false, 0.0, Range::kNone, 0.0},
    {lean_x, Range::kLinear, true, 0.3, Range::kLinear, 0.99},
    {lean_y, Range::kLinear, true, 0.3, Range::kLinear, 0.99},
    {move_right, Range::kOfWidth, true, kMostMoved, Range::kLinear, 32.0},
    {move_down, Range::kOfHeight, true, kMostMoved, Range::kLinear, 32.0},
    {turn, Range::kLinear, true, 30.0, Range::kLinear, 135.0},
    {brighten, Range::kLinear, true, 0.9, Range::kLinear, 0.99},
    {saturate, Range::kLinear, true, 0.9, Range::kLinear, 0.99},
    {contrast, Range::kLinear, true, 0.9, Range::kLinear, 0.99},
    {sharpen, Range::kLinear, true, 0.9, Range::kLinear, 0.99},
    {drop_bits, Range::kBits, false, 4.0, Range::kBits, 6.0},
    {invert_above, Range::kThreshold, false, 255.0, Range::kThreshold, 255.0},
    {stretch, Range::kNone, false, 0.0, Range::kNone, 0.0},
    {flatten, Range::kNone, false, 0.0, Range::kNone, 0.0},
}};

double strength_of(Range range, double top, std::int64_t level, const io::Image& image) {
  const double share = static_cast<double>(level) / (kLevels - 1);
  switch (range) {
    case Range::kNone:
      return 0.0;
    case Range::kLinear:
      return share * top;
    case Range::kOfWidth:
      return share * top * static_cast<double>(image.width);
    case Range::kOfHeight:
      return share * top * static_cast<double>(image.height);
    case Range::kBits:
      return 8.0 - std::nearbyint(share * top);
    case Range::kThreshold:
      break;
  }
  return top - share * top;
}

const Operation& draw_operation(Draws& draws) {
  return kOperations[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(kOperations.size())))];
}

void apply_signed(const Operation& operation, io::Image& image, double strength, Sampling sampling, Draws& draws) {
  if (draws.below(2) == 1 && operation.signed_strength) strength = -strength;
  operation.apply(image, strength, sampling);
}

}  // namespace

io::Image rand_augment(io::Image image, const AugmentOptions& options, Draws draws) {
  for (std::int64_t i = 0; i < options.rand_augment; ++i) {
    const Operation& operation = draw_operation(draws);
    const double strength = strength_of(operation.range, operation.rand_top, options.rand_magnitude, image);
    apply_signed(operation, image, strength, options.sampling, draws);
  }
  return image;
}

io::Image trivial_augment(io::Image image, const AugmentOptions& options, Draws draws) {
  const Operation& operation = draw_operation(draws);
  const double strength = strength_of(operation.trivial_range, operation.trivial_top, draws.below(kLevels), image);
  apply_signed(operation, image, strength, options.sampling, draws);
  return image;
}

}  // namespace scorevi::data
