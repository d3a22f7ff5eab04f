// The mass matrix of NUTS: M^-1 is an estimate of the target's covariance.
#pragma once

#include "scorevi/core/counter_rng.h"
#include "scorevi/inference/nuts.h"
#include "whole_target.h"

namespace scorevi::inference {

class Metric {
 public:
  // The identity.
  explicit Metric(int64_t dim) : variances_(static_cast<size_t>(dim), 1.0) {}
  static Metric diagonal(Vector variances);
  // A row-major symmetric matrix [D, D]. Where rounding made it indefinite its diagonal is taken.
  static Metric dense(const at::Tensor& covariance);

  // v = M^-1 p
  Vector velocity(const Vector& momentum) const;
  // p ~ N(0, M)
  Vector draw_momentum(const CounterRng& rng) const;

 private:
  Vector variances_;            // of a diagonal M^-1
  Vector covariance_, factor_;  // [D, D] of a dense one, and its lower Cholesky factor
};

// Collects positions of a window and turns them into a metric.
class MetricEstimate {
 public:
  MetricEstimate(MassMatrix kind, int64_t dim);
  void add(const Vector& theta);
  // The sample covariance, drawn towards 0.001 I with the weight of 5 positions; then starts anew.
  Metric finish();

 private:
  MassMatrix kind_;
  int64_t count_ = 0;
  Vector mean_, squares_;  // squares: [D] or [D, D], sums of products of deviations
};

}  // namespace scorevi::inference
