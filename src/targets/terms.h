// Log densities of one variable with all constants, and their derivatives: what the targets are written in.
#pragma once

#include <algorithm>
#include <cmath>

#include "scorevi/core/constants.h"

namespace scorevi::targets {

inline constexpr double kPi = 3.14159265358979323846;

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

// Student t with location and scale.
inline Slope student_t(double x, double dof, double location, double scale) {
  const double z = (x - location) / scale;
  const double constant = std::lgamma((dof + 1) / 2) - std::lgamma(dof / 2) - std::log(dof * kPi) / 2;
  return {constant - std::log(scale) - (dof + 1) / 2 * std::log1p(z * z / dof),
          -(dof + 1) * z / (scale * (dof + z * z))};
}

inline Slope cauchy(double x, double location, double scale) { return student_t(x, /*dof=*/1, location, scale); }

// Gamma of this shape and rate.
inline Slope gamma(double x, double shape, double rate) {
  return {shape * std::log(rate) - std::lgamma(shape) + (shape - 1) * std::log(x) - rate * x, (shape - 1) / x - rate};
}

inline double sigmoid(double u) { return u >= 0 ? 1 / (1 + std::exp(-u)) : std::exp(u) / (1 + std::exp(u)); }

// log sigmoid(u) without overflow.
inline Slope log_sigmoid(double u) {
  const double value = u >= 0 ? -std::log1p(std::exp(-u)) : u - std::log1p(std::exp(u));
  return {value, sigmoid(-u)};
}

// A density of x = exp(u) as one of u: with the log Jacobian u.
inline Slope on_log_scale(const Slope& density, double u) {
  return {density.value + u, density.slope * std::exp(u) + 1};
}

// Beta(a, b), which is a Dirichlet of two, of x = sigmoid(u) as a density of u; a = b = 1 is flat in x.
inline Slope beta_on_logit_scale(double u, double a, double b) {
  const Slope up = log_sigmoid(u);
  const Slope down = log_sigmoid(-u);
  const double constant = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return {constant + a * up.value + b * down.value, a * up.slope - b * down.slope};
}

// log(exp(a) + exp(b)) without overflow.
inline double log_sum(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

// log cosh u without overflow; the slope is tanh u.
inline Slope log_cosh(double u) {
  const double size = std::abs(u);
  return {size + std::log1p(std::exp(-2 * size)) - std::log(2.0), std::tanh(u)};
}

}  // namespace scorevi::targets
