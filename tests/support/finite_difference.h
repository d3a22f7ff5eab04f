// The one numeric check of every score in the tests.
#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "scorevi/inference/log_density.h"

namespace scorevi::test {

// Compares the score at theta with differences of log_density of fourth order,
//   (8 [f(x + h) - f(x - h)] - [f(x + 2h) - f(x - 2h)]) / 12h,  h = scale_j / 1000,
// entry by entry: |difference| <= tolerance * max(1 / scale_j, |score_j|). scale [D] is the length over which the
// density changes, by default max(1, |theta_j|). For double targets; the tolerance suits log densities of order 1.
inline void expect_score_is_derivative(inference::LogDensity& target, const at::Tensor& theta, double tolerance = 1e-7,
                                       const at::Tensor& scale = {}) {
  const at::Tensor score = target.evaluate(theta).score.clone();
  at::Tensor moved = theta.clone();
  for (int64_t j = 0; j < theta.numel(); ++j) {
    const double x = theta[j].item<double>();
    const double length = scale.defined() ? scale[j].item<double>() : std::max(1.0, std::abs(x));
    const double h = 1e-3 * length;
    const auto at = [&](double steps) {
      moved[j].fill_(x + steps * h);
      return target.evaluate(moved).log_density;
    };
    const double expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    moved[j].fill_(x);
    const double actual = score[j].item<double>();
    EXPECT_NEAR(actual, expected, tolerance * std::max(1 / length, std::abs(actual)))
        << "at " << target.layout().element_name(j);
  }
}

}  // namespace scorevi::test
