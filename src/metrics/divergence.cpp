#include "scorevi/metrics/divergence.h"

#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/where.h>

#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

GaussianMoments checked(const GaussianMoments& gaussian) {
  const int64_t dim = gaussian.mean.numel();
  SCOREVI_CHECK_OP(gaussian.mean.dim(), ==, 1);
  SCOREVI_CHECK_OP(gaussian.covariance.size(0), ==, dim);
  SCOREVI_CHECK_OP(gaussian.covariance.size(-1), ==, dim);
  return {gaussian.mean.to(at::kCPU, at::kDouble), gaussian.covariance.to(at::kCPU, at::kDouble)};
}

bool is_finite(const GaussianMoments& gaussian) {
  return at::isfinite(gaussian.mean).all().item<bool>() && at::isfinite(gaussian.covariance).all().item<bool>();
}

// variance [D] of q and shift [D] between the means, in coordinates in which p is standard and q is diagonal.
double kl_to_standard(const at::Tensor& variance, const at::Tensor& shift) {
  if (!variance.gt(0).all().item<bool>()) return kInfinity;
  const at::Tensor excess = variance - 1;
  const at::Tensor log_variance = at::where(variance.lt(0.5), variance.log(), excess.log1p());
  return 0.5 * (excess - log_variance + shift.square()).sum().item<double>();
}

double diagonal_kl(const GaussianMoments& q, const GaussianMoments& p) {
  if (!p.covariance.gt(0).all().item<bool>()) return kInfinity;
  return kl_to_standard(q.covariance / p.covariance, (q.mean - p.mean) / p.covariance.sqrt());
}

at::Tensor as_matrix(const at::Tensor& covariance) { return covariance.dim() == 2 ? covariance : at::diag(covariance); }

}  // namespace

double gaussian_kl(const GaussianMoments& raw_q, const GaussianMoments& raw_p) {
  const GaussianMoments q = checked(raw_q), p = checked(raw_p);
  SCOREVI_CHECK_OP(q.mean.numel(), ==, p.mean.numel());
  if (!is_finite(q) || !is_finite(p)) return std::numeric_limits<double>::quiet_NaN();
  if (q.covariance.dim() == 1 && p.covariance.dim() == 1) return diagonal_kl(q, p);

  const auto [factor, trouble] = at::linalg_cholesky_ex(as_matrix(p.covariance));
  const auto [q_factor, q_trouble] = at::linalg_cholesky_ex(as_matrix(q.covariance));
  if (trouble.item<int64_t>() != 0 || q_trouble.item<int64_t>() != 0) return kInfinity;
  const auto whiten = [&factor = factor](const at::Tensor& columns) {
    return at::linalg_solve_triangular(factor, columns, /*upper=*/false);
  };
  const at::Tensor variance = at::linalg_svdvals(whiten(q_factor)).square();
  return kl_to_standard(variance, whiten((q.mean - p.mean).unsqueeze(1)).squeeze(1));
}

}  // namespace scorevi::metrics
