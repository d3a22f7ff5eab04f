// The one numeric check of every score in the tests.
#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "scorevi/inference/log_density.h"

namespace scorevi::test {

// Compares the score at theta with symmetric differences (f(x + h) - f(x - h)) / 2h of log_density, entry by entry:
// |difference| <= tolerance * max(1, |score|). For double targets; the default suits functions of order 1.
inline void expect_score_is_derivative(inference::LogDensity& target, const at::Tensor& theta,
                                       double tolerance = 1e-7) {
  const at::Tensor score = target.evaluate(theta).score.clone();
  at::Tensor moved = theta.clone();
  for (int64_t j = 0; j < theta.numel(); ++j) {
    const double x = theta[j].item<double>();
    const double h = 1e-5 * std::max(1.0, std::abs(x));
    moved[j].fill_(x + h);
    const double above = target.evaluate(moved).log_density;
    moved[j].fill_(x - h);
    const double below = target.evaluate(moved).log_density;
    moved[j].fill_(x);
    const double expected = (above - below) / (2 * h);
    const double actual = score[j].item<double>();
    EXPECT_NEAR(actual, expected, tolerance * std::max(1.0, std::abs(actual)))
        << "at " << target.layout().element_name(j);
  }
}

}  // namespace scorevi::test
