// Densities that no Gaussian follows: a banana and a funnel. Both are normalised.
#pragma once

#include "scorevi/targets/plain_target.h"

namespace scorevi::targets {

// Rosenbrock's function as a density. For each pair (x, y) of coordinates (1, 2), (3, 4), ...
//   x ~ N(1, 1),  y | x ~ N(curvature x^2, width^2)
// Mean (1, 2 c), variances (1, 6 c^2 + width^2), covariance 2 c of a pair, with c = curvature.
// Source: H. Rosenbrock, "An automatic method for finding the greatest or least value of a function", 1960.
class Banana final : public PlainTarget {
 public:
  // dim even, width > 0.
  Banana(int64_t dim, double curvature, double width);

 private:
  double log_density(const double* theta, double* score) override;

  double curvature_, width_;
};

// v = theta_1 ~ N(0, scale^2),  theta_j | v ~ N(0, exp(v)) for j = 2..D.
// Mean 0, variances scale^2 and exp(scale^2 / 2), no correlation.
// Source: R. Neal, "Slice sampling", Annals of Statistics 2003, section 8.
class Funnel final : public PlainTarget {
 public:
  // dim >= 2, scale > 0.
  Funnel(int64_t dim, double scale);

 private:
  double log_density(const double* theta, double* score) override;

  double scale_;
};

}  // namespace scorevi::targets
