#include "scorevi/variational/diagonal_gaussian.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>

#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/params/tensor_exec.h"
#include "scorevi/variational/dtype_dispatch.h"

namespace scorevi::variational {
namespace {

void check_flat(const at::Tensor& flat, const at::Tensor& like) {
  SCOREVI_CHECK_OP(flat.dim(), ==, 1);
  SCOREVI_CHECK(flat.is_contiguous());
  SCOREVI_CHECK_OP(flat.numel(), ==, like.numel());
  SCOREVI_CHECK(flat.scalar_type() == like.scalar_type());
  SCOREVI_CHECK(flat.device() == like.device());
}

}  // namespace

DiagonalGaussian::DiagonalGaussian(at::Tensor mean, at::Tensor log_std)
    : mean_(std::move(mean)), log_std_(std::move(log_std)) {
  check_flat(mean_, mean_);
  check_flat(log_std_, mean_);
}

DiagonalGaussian DiagonalGaussian::from_mean(const at::Tensor& mean, double init_std) {
  if (!(init_std > 0) || !std::isfinite(init_std))
    throw Error(ErrorKind::kUsage, "posterior.init_std: not a standard deviation, got " + format_double(init_std) +
                                       ", expected a finite number above 0");
  return DiagonalGaussian(mean.detach().clone(), at::full_like(mean, std::log(init_std)));
}

void DiagonalGaussian::set_points(std::vector<params::Range> points) {
  int64_t last = 0;
  for (const params::Range& range : points) {
    SCOREVI_CHECK(last <= range.begin && range.begin < range.end && range.end <= dim());
    log_std_.slice(0, range.begin, range.end).fill_(kPointLogStd);
    last = range.end;
  }
  points_ = std::move(points);
}

std::vector<params::Range> DiagonalGaussian::gaussians() const {
  std::vector<params::Range> result;
  int64_t last = 0;
  for (const params::Range& range : points_) {
    if (last < range.begin) result.push_back({last, range.begin});
    last = range.end;
  }
  if (last < dim()) result.push_back({last, dim()});
  return result;
}

std::vector<std::pair<std::string, at::Tensor>> DiagonalGaussian::parameters() const {
  return {{"mean", mean_}, {"log_std", log_std_}};
}

void DiagonalGaussian::sample(const kernels::NoiseKey& key, at::Tensor theta) const {
  check_flat(theta, mean_);
  for_dtype(theta, [&](auto tag) {
    using T = decltype(tag);
    kernels::sample_gaussian<T>(params::exec_for(theta), 0, dim(), key, mean_.data_ptr<T>(), log_std_.data_ptr<T>(),
                                theta.data_ptr<T>());
  });
}

void DiagonalGaussian::mean_into(at::Tensor theta) const {
  check_flat(theta, mean_);
  theta.copy_(mean_);
}

at::Tensor DiagonalGaussian::log_prob(const at::Tensor& theta) const {
  check_flat(theta, mean_);
  SCOREVI_CHECK(points_.empty());
  const at::Tensor z = (theta - mean_) * log_std_.neg().exp();
  return -(z.square() * 0.5 + log_std_).sum() - 0.5 * kLogTwoPi * static_cast<double>(dim());
}

at::Tensor DiagonalGaussian::score(const at::Tensor& theta) const {
  check_flat(theta, mean_);
  SCOREVI_CHECK(points_.empty());
  return (mean_ - theta) * (log_std_ * -2).exp();
}

double DiagonalGaussian::entropy() const {
  SCOREVI_CHECK(points_.empty());
  return log_std_.sum(at::kDouble).item<double>() + 0.5 * (1 + kLogTwoPi) * static_cast<double>(dim());
}

}  // namespace scorevi::variational
