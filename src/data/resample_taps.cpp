#include <algorithm>
#include <cmath>

#include "resample.h"

namespace scorevi::data {
namespace {

constexpr double kHalf = 0.5;

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

// Keys' cubic with a = -0.5, in the order of operations that decides the last bit of the weights.
double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * kA;
  return 0.0;
}

std::int32_t fixed_point(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

}  // namespace

Taps make_taps(ResizeFilter filter, std::int64_t in, std::int64_t out, std::int64_t begin, std::int64_t count) {
  const bool bilinear = filter == ResizeFilter::kBilinear;
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double widening = std::max(scale, 1.0);
  const double support = (bilinear ? 1.0 : 2.0) * widening;
  const double per_pixel = 1.0 / widening;
  const std::int64_t most = std::min(2 * static_cast<std::int64_t>(std::ceil(support)) + 1, in);

  Taps taps;
  taps.stride = (most + kTapGroup - 1) / kTapGroup * kTapGroup;
  const auto size = static_cast<std::size_t>(taps.stride * count);
  taps.weight.resize(size);
  taps.high.resize(size);
  taps.low.resize(size);
  std::vector<double> weights(static_cast<std::size_t>(most));
  for (std::int64_t i = 0; i < count; ++i) {
    const double center = (static_cast<double>(begin + i) + kHalf) * scale;
    const std::int64_t first = std::max<std::int64_t>(0, static_cast<std::int64_t>(center - support + kHalf));
    const std::int64_t end = std::min(in, static_cast<std::int64_t>(center + support + kHalf));
    double sum = 0.0;
    for (std::int64_t t = 0; t < end - first; ++t) {
      const double x = (static_cast<double>(first + t) - center + kHalf) * per_pixel;
      sum += weights[static_cast<std::size_t>(t)] = bilinear ? triangle(x) : cubic(x);
    }
    taps.first.push_back(first);
    taps.count.push_back(end - first);
    for (std::int64_t t = 0; t < end - first; ++t) {
      const std::int32_t weight = fixed_point(weights[static_cast<std::size_t>(t)] / sum);
      const auto k = static_cast<std::size_t>(i * taps.stride + t);
      taps.weight[k] = weight;
      taps.high[k] = static_cast<std::int16_t>(weight >> kLowBits);
      taps.low[k] = static_cast<std::int16_t>(weight & ((1 << kLowBits) - 1));
    }
  }
  return taps;
}

}  // namespace scorevi::data
