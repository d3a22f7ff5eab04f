#include "nuts_metric.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/linalg_cholesky_ex.h>

namespace scorevi::inference {

Metric Metric::diagonal(Vector variances) {
  Metric metric(0);
  metric.variances_ = std::move(variances);
  return metric;
}

Metric Metric::dense(const at::Tensor& covariance) {
  Metric metric = diagonal(to_vector(covariance.diagonal()));
  const auto [factor, trouble] = at::linalg_cholesky_ex(covariance);
  if (trouble.item<int64_t>() != 0) return metric;
  metric.covariance_ = to_vector(covariance);
  metric.factor_ = to_vector(factor);
  return metric;
}

Vector Metric::velocity(const Vector& momentum) const {
  const size_t dim = momentum.size();
  Vector out(dim, 0.0);
  if (covariance_.empty()) {
    for (size_t j = 0; j < dim; ++j) out[j] = variances_[j] * momentum[j];
    return out;
  }
  for (size_t i = 0; i < dim; ++i) {
    const double* const row = covariance_.data() + i * dim;
    for (size_t j = 0; j < dim; ++j) out[j] += row[j] * momentum[i];
  }
  return out;
}

Vector Metric::draw_momentum(const CounterRng& rng) const {
  const size_t dim = variances_.size();
  Vector momentum(dim);
  for (size_t j = 0; j < dim; ++j) momentum[j] = rng.normal(j);
  if (factor_.empty()) {
    for (size_t j = 0; j < dim; ++j) momentum[j] /= std::sqrt(variances_[j]);
    return momentum;
  }
  // M = L^-T L^-1, so p = L^-T z: back substitution along the rows of L.
  for (size_t i = dim; i-- > 0;) {
    const double* const row = factor_.data() + i * dim;
    momentum[i] /= row[i];
    for (size_t j = 0; j < i; ++j) momentum[j] -= row[j] * momentum[i];
  }
  return momentum;
}

MetricEstimate::MetricEstimate(MassMatrix kind, int64_t dim) : kind_(kind), mean_(static_cast<size_t>(dim), 0.0) {
  if (kind_ != MassMatrix::kIdentity)
    squares_.resize(kind_ == MassMatrix::kDense ? mean_.size() * mean_.size() : mean_.size());
}

void MetricEstimate::add(const Vector& theta) {
  if (kind_ == MassMatrix::kIdentity) return;
  const size_t dim = mean_.size();
  count_ += 1;
  Vector before(dim);
  for (size_t j = 0; j < dim; ++j) {
    before[j] = theta[j] - mean_[j];
    mean_[j] += before[j] / static_cast<double>(count_);
  }
  if (kind_ == MassMatrix::kDiagonal) {
    for (size_t j = 0; j < dim; ++j) squares_[j] += before[j] * (theta[j] - mean_[j]);
    return;
  }
  const double shrink = 1 - 1 / static_cast<double>(count_);
  for (size_t i = 0; i < dim; ++i)
    for (size_t j = 0; j < dim; ++j) squares_[i * dim + j] += shrink * before[i] * before[j];
}

Metric MetricEstimate::finish() {
  const size_t dim = mean_.size();
  if (count_ < 2) return Metric(static_cast<int64_t>(dim));
  const auto n = static_cast<double>(count_);
  const double scale = n / (n + 5) / (n - 1), floor = 1e-3 * 5 / (n + 5);
  Vector covariance = squares_;
  for (double& value : covariance) value *= scale;
  const size_t stride = kind_ == MassMatrix::kDense ? dim + 1 : 1;
  for (size_t j = 0; j < dim; ++j) covariance[j * stride] += floor;
  *this = MetricEstimate(kind_, static_cast<int64_t>(dim));
  if (kind_ == MassMatrix::kDiagonal) return Metric::diagonal(std::move(covariance));
  const auto size = static_cast<int64_t>(dim);
  return Metric::dense(to_tensor(covariance).view({size, size}));
}

}  // namespace scorevi::inference
