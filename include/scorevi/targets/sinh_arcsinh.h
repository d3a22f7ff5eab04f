// Gaussians bent coordinate by coordinate: skewness and tail weight by two numbers.
#pragma once

#include <vector>

#include "scorevi/targets/plain_target.h"

namespace scorevi::targets {

// theta_i = location_i + scale_i x_i,  x_i = sinh((asinh(y_i) + skew) / power),  y ~ N(base_mean, base_precision^-1).
// With u = power asinh(x) - skew, y = sinh(u):
//   log pi = log N(y) + sum_i [ log power + log cosh u_i - log(1 + x_i^2) / 2 - log scale_i ]      (normalised)
// power > 1 gives light tails. O(D), or O(D^2) with a base precision.
// Source: M. C. Jones, A. Pewsey, "Sinh-arcsinh distributions", Biometrika 2009.
struct SinhArcsinhParts {
  std::vector<double> location, scale;  // [D], scale > 0
  std::vector<double> base_mean;        // [D]
  std::vector<double> base_precision;   // [D, D] row by row; empty: the identity
  double skew = 0;
  double power = 1;  // > 0
};

class SinhArcsinh final : public PlainTarget {
 public:
  // log_det_precision: log|base_precision|, 0 for the identity.
  SinhArcsinh(SinhArcsinhParts parts, double log_det_precision);

 private:
  double log_density(const double* theta, double* score) override;
  // log N(y) without constant; its gradient goes to pull_.
  double base(const std::vector<double>& y);

  SinhArcsinhParts parts_;
  double constant_;
  std::vector<double> y_, pull_;  // [D] scratch
};

}  // namespace scorevi::targets
