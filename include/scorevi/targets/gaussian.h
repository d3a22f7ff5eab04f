// Gaussian densities with a known answer.
#pragma once

#include "scorevi/targets/analytic_target.h"

namespace scorevi::targets {

// N(mean, diag(1/precision)), normalised:
//   log pi = sum_j [ log(precision_j / 2 pi) - precision_j (theta_j - mean_j)^2 ] / 2,  score = -precision (theta -
//   mean)
class DiagonalGaussianTarget final : public AnalyticTarget {
 public:
  // mean, precision [D]; precision > 0.
  DiagonalGaussianTarget(at::Tensor mean, at::Tensor precision);
  inference::Evaluation evaluate(const at::Tensor& theta) override;
  bool has_hessian_product() const override { return true; }
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override;

 private:
  at::Tensor mean_, precision_;
  double log_normaliser_;
};

// N(mean, precision^-1) up to its constant: log pi = -(theta - mean)^T precision (theta - mean) / 2. O(D^2).
class GaussianTarget final : public AnalyticTarget {
 public:
  // mean [D], precision [D, D] symmetric positive definite.
  GaussianTarget(at::Tensor mean, at::Tensor precision);
  inference::Evaluation evaluate(const at::Tensor& theta) override;
  bool has_hessian_product() const override { return true; }
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override;

 private:
  at::Tensor mean_, precision_;
};

// sum_k weight_k N(mean_k, diag(std_k^2)), normalised; the score is the responsibility-weighted sum of the
// components' scores. O(K D).
class GaussianMixture final : public AnalyticTarget {
 public:
  // weights [K] > 0 (scaled to sum 1), means [K, D], stds [K, D] > 0.
  GaussianMixture(at::Tensor weights, at::Tensor means, at::Tensor stds);
  inference::Evaluation evaluate(const at::Tensor& theta) override;

 private:
  at::Tensor log_weights_;  // [K], each component's normaliser included
  at::Tensor means_, precisions_;
};

}  // namespace scorevi::targets
