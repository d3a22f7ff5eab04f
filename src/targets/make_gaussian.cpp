// Gaussian and Student-t targets.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/diag_embed.h>

#include "draws.h"
#include "makers.h"
#include "scale_matrix.h"
#include "scorevi/core/format.h"
#include "scorevi/targets/gaussian.h"
#include "scorevi/targets/student_t.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

constexpr int64_t kMaxDiagonalDim = 1'000'000;

KnownTarget make_diagonal(const TargetOptions& options) {
  require_dim(options, 1, kMaxDiagonalDim);
  require(options.condition >= 1 && options.condition <= 1e12, "condition", options.condition, "1 to 1e12");
  require(options.covariance == "conditioned", "covariance", options.covariance, "conditioned where diagonal is true");
  const at::Tensor mean = uniforms(options.seed, Part::kMean, options.dim);
  const at::Tensor variance = geometric_spectrum(options);
  KnownTarget target;
  target.name =
      fmt::format("gaussian_diagonal_d{}_c{}{}", options.dim, format_double(options.condition), seed_suffix(options));
  target.density = std::make_unique<DiagonalGaussianTarget>(mean, variance.reciprocal());
  target.reference.mean = mean;
  target.reference.sd = variance.sqrt();
  if (options.dim <= kMaxFullDim) target.reference.covariance = at::diag_embed(variance);
  target.reference.log_normaliser = 0;
  target.reference.gaussian = true;
  target.reference.source = "closed form";
  target.sample = [mean, sd = target.reference.sd](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    theta.mul_(sd).add_(mean);
  };
  return target;
}

}  // namespace

KnownTarget make_gaussian(const TargetOptions& options) {
  if (options.diagonal) return make_diagonal(options);
  const ScaleMatrix scale = make_scale_matrix(options);
  const at::Tensor mean = uniforms(options.seed, Part::kMean, options.dim);
  KnownTarget target;
  target.name = "gaussian_" + scale.name;
  target.density = std::make_unique<GaussianTarget>(mean, scale.precision);
  target.reference.mean = mean;
  target.reference.covariance = scale.matrix;
  target.reference.sd = scale.matrix.diagonal().sqrt();
  target.reference.log_normaliser = (static_cast<double>(options.dim) * kLogTwoPi + scale.log_det) / 2;
  target.reference.gaussian = true;
  target.reference.source = "closed form";
  target.sample = [mean, factor = scale.factor](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    theta.copy_(mean + factor.mv(theta));
  };
  return target;
}

KnownTarget make_student_t(const TargetOptions& options) {
  require_positive("dof", options.dof);
  const double dof = options.dof;
  const ScaleMatrix scale = make_scale_matrix(options);
  const at::Tensor mean = uniforms(options.seed, Part::kMean, options.dim);
  KnownTarget target;
  target.name = fmt::format("student_t_nu{}_{}", format_double(dof), scale.name);
  target.density = std::make_unique<StudentT>(mean, scale.precision, dof);
  if (dof > 1) target.reference.mean = mean;
  if (dof > 2) {
    target.reference.covariance = scale.matrix * (dof / (dof - 2));
    target.reference.sd = target.reference.covariance.diagonal().sqrt();
  }
  target.reference.log_normaliser = 0;
  target.reference.source = "closed form";
  target.sample = [mean, factor = scale.factor, dof](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    const double mixing = 2 * draw_gamma(stream_of(key), further(theta.numel()), dof / 2) / dof;
    theta.copy_(mean + factor.mv(theta) / std::sqrt(mixing));
  };
  return target;
}

}  // namespace scorevi::targets
