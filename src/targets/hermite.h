// Moments of functions of normal variables by their Hermite series.
#pragma once

#include <functional>
#include <vector>

namespace scorevi::targets {

// f(e) = sum_n terms[n] h_n(e) for e ~ N(0, 1) with the normalised Hermite polynomials h_n, n below 256: E f =
// terms[0].
struct HermiteSeries {
  std::vector<double> terms;
  double mean_square = 0;  // E f^2

  double variance() const { return mean_square - terms[0] * terms[0]; }
};

// By the trapezoidal rule on [-20, 20]: exact to rounding for a smooth f that grows no faster than |e|^20.
HermiteSeries hermite_series(const std::function<double(double)>& f);

// Cov(f(e), g(e')) where e and e' have this correlation: sum_{n >= 1} correlation^n f_n g_n (Mehler's formula).
double covariance_of(const HermiteSeries& f, const HermiteSeries& g, double correlation);

}  // namespace scorevi::targets
