// Kullback-Leibler divergences between Gaussians, in closed form.
#pragma once

#include <ATen/core/Tensor.h>

namespace scorevi::metrics {

// N(mean, covariance): mean [D]; covariance [D, D] symmetric, or [D], the variances of a diagonal one.
struct GaussianMoments {
  at::Tensor mean, covariance;
};

// KL(q || p) in nats, both of the same D; computed in double. Forward KL of an approximation q to a target p is
// gaussian_kl(p, q), reverse KL gaussian_kl(q, p). Two diagonal Gaussians cost O(D), otherwise O(D^3) time and
// 3 D^2 doubles. Never below 0, and accurate near 0: a sum of terms lambda - 1 - log lambda over the variances of
// q where p is standard. Infinite where a covariance is not positive definite, NaN where a value is not finite.
double gaussian_kl(const GaussianMoments& q, const GaussianMoments& p);

}  // namespace scorevi::metrics
