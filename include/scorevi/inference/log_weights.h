// What draws of q tell about how well q fits a target: the ELBO, and importance weights.
#pragma once

#include <cstdint>

#include "scorevi/inference/log_density.h"
#include "scorevi/variational/family.h"

namespace scorevi::inference {

// w_i = log pi(theta_i) - log q(theta_i), prior included, at draws theta_i of q: [samples] double, on the CPU. Draw i
// is q.sample() with `key` and key.sample + i. Costs `samples` evaluations. Where a density is not finite so is w_i.
at::Tensor log_weights(LogDensity& target, const variational::Family& q, kernels::NoiseKey key, int64_t samples);

// The mean of w_i and its standard error. Constant weights, q = pi, have no error.
struct ElboEstimate {
  double value = 0;           // nats
  double standard_error = 0;  // NaN for one sample
};
ElboEstimate elbo_of(const at::Tensor& log_weights);

}  // namespace scorevi::inference
