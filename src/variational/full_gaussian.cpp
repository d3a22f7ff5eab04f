#include "scorevi/variational/full_gaussian.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/params/tensor_exec.h"

namespace scorevi::variational {
namespace {

const char* const kFactor = "factor";

void check_doubles(const at::Tensor& tensor, at::IntArrayRef sizes) {
  SCOREVI_CHECK(tensor.sizes() == sizes);
  SCOREVI_CHECK(tensor.is_contiguous());
  SCOREVI_CHECK(tensor.scalar_type() == at::kDouble);
  SCOREVI_CHECK(tensor.is_cpu());
}

}  // namespace

FullGaussian::FullGaussian(at::Tensor mean, at::Tensor factor) : mean_(std::move(mean)), factor_(std::move(factor)) {
  check_doubles(mean_, {mean_.numel()});
  check_doubles(factor_, {dim(), dim()});
}

FullGaussian FullGaussian::from_mean(const at::Tensor& mean, double init_std) {
  if (!(init_std > 0) || !std::isfinite(init_std))
    throw Error(ErrorKind::kUsage, "posterior.init_std: not a standard deviation, got " + format_double(init_std) +
                                       ", expected a finite number above 0");
  const at::TensorOptions doubles(at::kDouble);
  return FullGaussian(mean.detach().to(doubles, /*non_blocking=*/false, /*copy=*/true),
                      at::eye(mean.numel(), doubles).mul_(init_std));
}

at::Tensor FullGaussian::covariance() const { return factor_.matmul(factor_.t()); }

at::Tensor FullGaussian::standard_deviations() const { return at::linalg_vector_norm(factor_, 2, /*dim=*/1); }

std::vector<std::pair<std::string, at::Tensor>> FullGaussian::parameters() const {
  return {{"mean", mean_}, {kFactor, factor_}};
}

void FullGaussian::sample(const kernels::NoiseKey& key, at::Tensor theta) const {
  check_doubles(theta, {dim()});
  const at::Tensor noise = at::empty_like(mean_);
  kernels::fill_normal<double>(params::exec_for(noise), 0, dim(), key, noise.data_ptr<double>());
  theta.copy_(mean_).addmv_(factor_, noise);
}

void FullGaussian::mean_into(at::Tensor theta) const {
  check_doubles(theta, {dim()});
  theta.copy_(mean_);
}

at::Tensor FullGaussian::whitened(const at::Tensor& theta) const {
  check_doubles(theta, {dim()});
  return at::linalg_solve_triangular(factor_, (theta - mean_).unsqueeze(1), /*upper=*/false);
}

at::Tensor FullGaussian::log_prob(const at::Tensor& theta) const {
  return whitened(theta).square().sum() * -0.5 - factor_.diagonal().log().sum() -
         0.5 * kLogTwoPi * static_cast<double>(dim());
}

at::Tensor FullGaussian::score(const at::Tensor& theta) const {
  return -at::linalg_solve_triangular(factor_.t(), whitened(theta), /*upper=*/true).squeeze(1);
}

double FullGaussian::entropy() const {
  return factor_.diagonal().log().sum().item<double>() + 0.5 * (1 + kLogTwoPi) * static_cast<double>(dim());
}

void FullGaussian::save(params::StateDict& state, const params::FlatLayout& layout) const {
  layout.add_to(state, "mean", mean_);
  layout.matrix_rows().add_to(state, kFactor, factor_.view({-1}));
}

void FullGaussian::load(const params::StateDict& state, const params::FlatLayout& layout) {
  layout.read_from(state, "mean", mean_);
  layout.matrix_rows().read_from(state, kFactor, factor_.view({-1}));
}

}  // namespace scorevi::variational
