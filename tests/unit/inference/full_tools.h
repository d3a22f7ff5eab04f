// Full Gaussians and Gaussian targets for the tests of the engines that move them.
#pragma once

#include <cmath>

#include "scorevi/inference/full_update.h"
#include "scorevi/targets/gaussian.h"
#include "scorevi/variational/full_gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {

using variational::FullGaussian;

inline FullGaussian copy(const FullGaussian& q) { return FullGaussian(q.mean().clone(), q.factor().clone()); }

inline FullGaussian gaussian_of(const at::Tensor& mean, const at::Tensor& covariance) {
  return FullGaussian(mean.clone(), at::linalg_cholesky(covariance).contiguous());
}

// Standard normal numbers that depend on `key` alone.
inline at::Tensor numbers(at::IntArrayRef sizes, uint64_t key) {
  return noise(at::empty(sizes, at::kDouble), key, /*step=*/0);
}

// A random covariance A A^T + 0.1 I.
inline at::Tensor random_covariance(int64_t dim, uint64_t key) {
  const at::Tensor a = numbers({dim, dim}, key);
  return a.matmul(a.t()) + at::eye(dim, at::kDouble) * 0.1;
}

// A q and a batch from it, with the scores of a Gaussian, bent by a sine.
struct Problem {
  FullGaussian q;
  inference::ScoredDraws draws;
  at::Tensor theta;
};

inline Problem random_problem(int64_t dim, int64_t samples, uint64_t key, double bend = 2) {
  const FullGaussian q = gaussian_of(numbers({dim}, key + 1), random_covariance(dim, key + 2));
  const at::Tensor eps = numbers({samples, dim}, key + 3);
  const at::Tensor theta = q.mean() + eps.matmul(q.factor().t());
  const at::Tensor precision = at::linalg_inv(random_covariance(dim, key + 4));
  return {q, {eps, (numbers({dim}, key + 5) - theta).matmul(precision) + theta.sin() * bend}, theta};
}

// KL(p || q) of full Gaussians.
inline double kl_of(const at::Tensor& mean, const at::Tensor& covariance, const FullGaussian& q) {
  const at::Tensor inverse = at::linalg_inv(q.covariance()), d = mean - q.mean();
  const double logs = at::logdet(q.covariance()).item<double>() - at::logdet(covariance).item<double>();
  return 0.5 * (inverse.matmul(covariance).diagonal().sum().item<double>() + d.dot(inverse.mv(d)).item<double>() -
                static_cast<double>(q.dim()) + logs);
}

}  // namespace scorevi::test
