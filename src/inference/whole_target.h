// The whole log density of a target, prior included, as samplers and mode finding see it.
#pragma once

#include <vector>

#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

using Vector = std::vector<double>;

// Log prior at theta [dim] in nats, and its gradient added to `score` (nullptr: not wanted). 0 without prior.
double log_prior(const GaussianPrior* prior, const double* theta, int64_t dim, double* score);

// Counts its evaluations. The target must be double and on the CPU (checked).
class WholeTarget {
 public:
  explicit WholeTarget(LogDensity& target);

  int64_t dim() const { return target_.dim(); }
  int64_t evaluations() const { return evaluations_; }

  // log pi(theta), and its gradient [D]. -inf, with any gradient, where the density or a score is not finite.
  double operator()(const Vector& theta, Vector& gradient);

 private:
  LogDensity& target_;
  int64_t evaluations_ = 0;
};

// Values of a tensor as doubles.
Vector to_vector(const at::Tensor& values);

// A new tensor [n].
at::Tensor to_tensor(const Vector& values);

double dot(const Vector& a, const Vector& b);

// y += a x
void add_scaled(double a, const Vector& x, Vector& y);

}  // namespace scorevi::inference
