#include "scorevi/inference/log_weights.h"

#include <cmath>
#include <limits>

#include <ATen/ops/empty.h>

#include "scorevi/core/check.h"
#include "whole_target.h"

namespace scorevi::inference {

at::Tensor log_weights(LogDensity& target, const variational::Family& q, kernels::NoiseKey key, int64_t samples) {
  SCOREVI_CHECK_OP(q.dim(), ==, target.dim());
  SCOREVI_CHECK_OP(samples, >=, 1);
  at::Tensor weights = at::empty({samples}, at::TensorOptions(at::kDouble));
  const at::Tensor theta = target.point();
  for (int64_t i = 0; i < samples; ++i) {
    q.sample(key, theta);
    key.sample += 1;
    const double log_q = q.log_prob(theta).item<double>();
    double log_pi = target.evaluate(theta).log_density;
    if (target.prior()) log_pi += log_prior(target.prior(), to_vector(theta).data(), q.dim(), /*score=*/nullptr);
    weights.data_ptr<double>()[i] = log_pi - log_q;
  }
  return weights;
}

ElboEstimate elbo_of(const at::Tensor& log_weights) {
  ElboEstimate elbo{log_weights.mean().item<double>(), std::numeric_limits<double>::quiet_NaN()};
  const int64_t n = log_weights.numel();
  if (n > 1)
    elbo.standard_error = log_weights.std(/*unbiased=*/true).item<double>() / std::sqrt(static_cast<double>(n));
  return elbo;
}

}  // namespace scorevi::inference
