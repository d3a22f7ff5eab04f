#include "scorevi/targets/sinh_arcsinh.h"

#include <cmath>

#include "scorevi/core/check.h"
#include "terms.h"

namespace scorevi::targets {

SinhArcsinh::SinhArcsinh(SinhArcsinhParts parts, double log_det_precision)
    : PlainTarget(static_cast<int64_t>(parts.location.size())), parts_(std::move(parts)) {
  const size_t d = parts_.location.size();
  SCOREVI_CHECK_OP(parts_.scale.size(), ==, d);
  SCOREVI_CHECK_OP(parts_.base_mean.size(), ==, d);
  SCOREVI_CHECK(parts_.base_precision.empty() || parts_.base_precision.size() == d * d);
  SCOREVI_CHECK_OP(parts_.power, >, 0);
  const auto n = static_cast<double>(d);
  constant_ = log_det_precision / 2 - n * kLogTwoPi / 2 + n * std::log(parts_.power);
  for (const double scale : parts_.scale) constant_ -= std::log(scale);
  y_.resize(d);
  pull_.resize(d);
}

double SinhArcsinh::base(const std::vector<double>& y) {
  const size_t d = y.size();
  double sum = 0;
  for (size_t i = 0; i < d; ++i) {
    pull_[i] = parts_.base_mean[i] - y[i];
    if (!parts_.base_precision.empty()) {
      const double* row = parts_.base_precision.data() + i * d;
      pull_[i] = 0;
      for (size_t j = 0; j < d; ++j) pull_[i] += row[j] * (parts_.base_mean[j] - y[j]);
    }
    sum += pull_[i] * (y[i] - parts_.base_mean[i]) / 2;
  }
  return sum;
}

double SinhArcsinh::log_density(const double* theta, double* score) {
  const size_t d = y_.size();
  double sum = constant_;
  const auto standard = [&](size_t i) { return (theta[i] - parts_.location[i]) / parts_.scale[i]; };
  const auto bent = [&](double x) { return parts_.power * std::asinh(x) - parts_.skew; };
  for (size_t i = 0; i < d; ++i) y_[i] = std::sinh(bent(standard(i)));
  sum += base(y_);
  for (size_t i = 0; i < d; ++i) {
    const double x = standard(i);
    const double u = bent(x);
    const Slope stretch = log_cosh(u);
    const double root = std::hypot(1.0, x);
    sum += stretch.value - std::log(root);
    const double in_u = pull_[i] * std::cosh(u) + stretch.slope;
    score[i] = (in_u * parts_.power / root - x / root / root) / parts_.scale[i];
  }
  return sum;
}

}  // namespace scorevi::targets
