#include "scorevi/targets/curved.h"

#include <cmath>

#include "scorevi/core/check.h"
#include "terms.h"

namespace scorevi::targets {

Banana::Banana(int64_t dim, double curvature, double width) : PlainTarget(dim), curvature_(curvature), width_(width) {
  SCOREVI_CHECK_OP(dim % 2, ==, 0);
  SCOREVI_CHECK_OP(width, >, 0);
}

double Banana::log_density(const double* theta, double* score) {
  double sum = 0;
  for (int64_t j = 0; j < dim(); j += 2) {
    const double x = theta[j];
    const Slope along = normal(x, 1, 1);
    const Slope across = normal(theta[j + 1], curvature_ * x * x, width_);
    sum += along.value + across.value;
    score[j] = along.slope - across.slope * 2 * curvature_ * x;
    score[j + 1] = across.slope;
  }
  return sum;
}

Funnel::Funnel(int64_t dim, double scale) : PlainTarget(dim), scale_(scale) {
  SCOREVI_CHECK_OP(dim, >=, 2);
  SCOREVI_CHECK_OP(scale, >, 0);
}

double Funnel::log_density(const double* theta, double* score) {
  const double v = theta[0];
  const double precision = std::exp(-v);
  const Slope neck = normal(v, 0, scale_);
  double squares = 0;
  for (int64_t j = 1; j < dim(); ++j) {
    squares += theta[j] * theta[j];
    score[j] = -precision * theta[j];
  }
  const auto others = static_cast<double>(dim() - 1);
  score[0] = neck.slope + (precision * squares - others) / 2;
  return neck.value - others * (kLogTwoPi + v) / 2 - precision * squares / 2;
}

}  // namespace scorevi::targets
