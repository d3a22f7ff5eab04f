#include "scorevi/targets/gaussian.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/softmax.h>

#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"

namespace scorevi::targets {
DiagonalGaussianTarget::DiagonalGaussianTarget(at::Tensor mean, at::Tensor precision)
    : AnalyticTarget(mean), mean_(std::move(mean)), precision_(std::move(precision)) {
  SCOREVI_CHECK_OP(precision_.numel(), ==, dim());
  SCOREVI_CHECK(precision_.gt(0).all().item<bool>());
  log_normaliser_ = 0.5 * (precision_.log().sum().item<double>() - kLogTwoPi * static_cast<double>(dim()));
}

inference::Evaluation DiagonalGaussianTarget::evaluate(const at::Tensor& theta) {
  const at::Tensor difference = theta - mean_;
  const at::Tensor score = -precision_ * difference;
  return {log_normaliser_ + 0.5 * score.dot(difference).item<double>(), score, /*data_used=*/0};
}

at::Tensor DiagonalGaussianTarget::hessian_product(const at::Tensor& /*theta*/, const at::Tensor& v) {
  return -precision_ * v;
}

GaussianTarget::GaussianTarget(at::Tensor mean, at::Tensor precision)
    : AnalyticTarget(mean), mean_(std::move(mean)), precision_(std::move(precision)) {
  SCOREVI_CHECK_OP(precision_.size(0), ==, dim());
  SCOREVI_CHECK_OP(precision_.size(1), ==, dim());
}

inference::Evaluation GaussianTarget::evaluate(const at::Tensor& theta) {
  const at::Tensor difference = theta - mean_;
  const at::Tensor score = -precision_.mv(difference);
  return {0.5 * score.dot(difference).item<double>(), score, /*data_used=*/0};
}

at::Tensor GaussianTarget::hessian_product(const at::Tensor& /*theta*/, const at::Tensor& v) {
  return -precision_.mv(v);
}

GaussianMixture::GaussianMixture(at::Tensor weights, at::Tensor means, at::Tensor stds)
    : AnalyticTarget(means[0]), means_(std::move(means)), precisions_(stds.pow(-2)) {
  SCOREVI_CHECK(weights.gt(0).all().item<bool>());
  SCOREVI_CHECK(stds.gt(0).all().item<bool>());
  log_weights_ =
      (weights / weights.sum()).log() - stds.log().sum(/*dim=*/1) - 0.5 * kLogTwoPi * static_cast<double>(dim());
}

inference::Evaluation GaussianMixture::evaluate(const at::Tensor& theta) {
  const at::Tensor difference = theta - means_;                   // [K, D]
  const at::Tensor component_scores = -precisions_ * difference;  // [K, D]
  const at::Tensor logs = log_weights_ + 0.5 * (component_scores * difference).sum(/*dim=*/1);
  const at::Tensor responsibility = at::softmax(logs, /*dim=*/0);
  return {at::logsumexp(logs, /*dim=*/0).item<double>(), responsibility.matmul(component_scores), /*data_used=*/0};
}

}  // namespace scorevi::targets
