// Sinh-arcsinh targets in both of their forms, with moments by quadrature.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/tensor.h>

#include "draws.h"
#include "hermite.h"
#include "makers.h"
#include "scorevi/core/format.h"
#include "scorevi/targets/sinh_arcsinh.h"

namespace scorevi::targets {
namespace {

constexpr int64_t kMaxJointDim = 256;

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  const auto* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

at::Tensor doubles(const std::vector<double>& values) { return at::tensor(values, at::TensorOptions(at::kDouble)); }

// A A^T + 0.001 I.
at::Tensor random_covariance(const TargetOptions& options) {
  const at::Tensor a = normals(options.seed, Part::kMatrix, options.dim, options.dim);
  return a.matmul(a.t()) + 1e-3 * at::eye(options.dim, a.options());
}

// Independent coordinates, all of one shape.
KnownTarget make_coordinates(const TargetOptions& options) {
  require_dim(options, 1, kMaxFullDim);
  const double unit = 2 / std::sinh(options.tail * std::asinh(2.0));
  const at::Tensor location = uniforms(options.seed, Part::kMean, options.dim);
  const at::Tensor scale = random_covariance(options).diagonal() * unit;
  SinhArcsinhParts parts;
  parts.location = numbers(location);
  parts.scale = numbers(scale);
  parts.base_mean.assign(parts.location.size(), 0);
  parts.skew = options.skew;
  parts.power = 1 / options.tail;
  const HermiteSeries series =
      hermite_series([&](double e) { return std::sinh((std::asinh(e) + options.skew) * options.tail); });
  KnownTarget target;
  target.reference.mean = location + scale * series.terms[0];
  target.reference.sd = scale * std::sqrt(series.variance());
  target.reference.covariance = at::diag_embed(target.reference.sd.square());
  target.density = std::make_unique<SinhArcsinh>(std::move(parts), /*log_det_precision=*/0);
  target.sample = [location, scale, s = options.skew, t = options.tail](const kernels::NoiseKey& key,
                                                                        at::Tensor theta) {
    fill_normal(key, theta);
    theta.copy_(location + scale * ((theta.asinh() + s) * t).sinh());
  };
  return target;
}

// Mean and covariance of the coordinates where y ~ N(mean, covariance).
Reference joint_moments(const TargetOptions& options, const std::vector<double>& mean, const at::Tensor& covariance) {
  const auto d = mean.size();
  const std::vector<double> sd = numbers(covariance.diagonal().sqrt());
  const std::vector<double> base = numbers(covariance);
  std::vector<HermiteSeries> series;
  std::vector<double> means(d);
  std::vector<double> covariances(d * d);
  for (size_t i = 0; i < d; ++i) {
    series.push_back(hermite_series(
        [&](double e) { return std::sinh((std::asinh(mean[i] + sd[i] * e) + options.skew) / options.tail); }));
    means[i] = series[i].terms[0];
    covariances[i * d + i] = series[i].variance();
    for (size_t j = 0; j < i; ++j) {
      const double correlation = base[i * d + j] / (sd[i] * sd[j]);
      covariances[i * d + j] = covariances[j * d + i] = covariance_of(series[i], series[j], correlation);
    }
  }
  Reference reference;
  reference.mean = doubles(means);
  reference.covariance = doubles(covariances).view({options.dim, options.dim});
  reference.sd = reference.covariance.diagonal().sqrt();
  return reference;
}

KnownTarget make_joint(const TargetOptions& options) {
  require_dim(options, 1, kMaxJointDim);
  const at::Tensor mean = uniforms(options.seed, Part::kMean, options.dim);
  const at::Tensor covariance = random_covariance(options);
  const at::Tensor factor = at::linalg_cholesky(covariance);
  SinhArcsinhParts parts;
  parts.base_mean = numbers(mean);
  parts.location.assign(parts.base_mean.size(), 0);
  parts.scale.assign(parts.base_mean.size(), 1);
  parts.base_precision = numbers(at::cholesky_inverse(factor));
  parts.skew = options.skew;
  parts.power = options.tail;
  KnownTarget target;
  target.reference = joint_moments(options, parts.base_mean, covariance);
  target.density = std::make_unique<SinhArcsinh>(std::move(parts), -2 * factor.diagonal().log().sum().item<double>());
  target.sample = [mean, factor, s = options.skew, t = options.tail](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    theta.copy_((((mean + factor.mv(theta)).asinh() + s) / t).sinh());
  };
  return target;
}

}  // namespace

KnownTarget make_sinh_arcsinh(const TargetOptions& options) {
  require(std::abs(options.skew) <= 10, "skew", options.skew, "-10 to 10");
  require(options.tail >= 0.05 && options.tail <= 20, "tail", options.tail, "0.05 to 20");
  const bool joint = options.form == "joint";
  require(joint || options.form == "coordinates", "form", options.form, "coordinates or joint");
  KnownTarget target = joint ? make_joint(options) : make_coordinates(options);
  target.name = fmt::format("sinh_arcsinh_{}d{}_s{}_t{}{}", joint ? "joint_" : "", options.dim,
                            format_double(options.skew), format_double(options.tail), seed_suffix(options));
  target.reference.log_normaliser = 0;
  target.reference.source = "quadrature";
  return target;
}

}  // namespace scorevi::targets
