// Log densities of one variable with all constants, and their derivatives: what the targets are written in.
#pragma once

#include <cmath>

namespace scorevi::targets {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kLogTwoPi = 1.83787706640934548356;

// A value and its derivative in the first argument.
struct Slope {
  double value = 0;
  double slope = 0;
};

// N(x | mean, std^2).
inline Slope normal(double x, double mean, double std) {
  const double z = (x - mean) / std;
  return {-kLogTwoPi / 2 - std::log(std) - z * z / 2, -z / std};
}

// log cosh u without overflow; the slope is tanh u.
inline Slope log_cosh(double u) {
  const double size = std::abs(u);
  return {size + std::log1p(std::exp(-2 * size)) - std::log(2.0), std::tanh(u)};
}

}  // namespace scorevi::targets
