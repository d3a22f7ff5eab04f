// The banana and the funnel.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "draws.h"
#include "makers.h"
#include "scorevi/core/format.h"
#include "scorevi/targets/curved.h"

namespace scorevi::targets {

KnownTarget make_banana(const TargetOptions& options) {
  require_dim(options, 2, kMaxFullDim);
  require(options.dim % 2 == 0, "dim", options.dim, "an even number");
  require_positive("width", options.width);
  require(std::abs(options.curvature) <= 1e6, "curvature", options.curvature, "-1e6 to 1e6");
  const double c = options.curvature;
  const double w = options.width;
  KnownTarget target;
  target.name = fmt::format("banana_d{}_b{}_w{}", options.dim, format_double(c), format_double(w));
  target.density = std::make_unique<Banana>(options.dim, c, w);
  const at::Tensor mean = at::full({options.dim}, 1.0, at::TensorOptions(at::kDouble));
  const at::Tensor covariance = at::diag_embed(mean);
  for (int64_t j = 0; j < options.dim; j += 2) {
    mean[j + 1].fill_(2 * c);
    covariance[j + 1][j + 1].fill_(6 * c * c + w * w);
    covariance[j][j + 1].fill_(2 * c);
    covariance[j + 1][j].fill_(2 * c);
  }
  target.reference.mean = mean;
  target.reference.covariance = covariance;
  target.reference.sd = covariance.diagonal().sqrt();
  target.reference.log_normaliser = 0;
  target.reference.source = "closed form";
  target.sample = [c, w](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    auto* x = theta.mutable_data_ptr<double>();
    for (int64_t j = 0; j < theta.numel(); j += 2) {
      x[j] += 1;
      x[j + 1] = c * x[j] * x[j] + w * x[j + 1];
    }
  };
  return target;
}

KnownTarget make_funnel(const TargetOptions& options) {
  require_dim(options, 2, kMaxFullDim);
  require(options.scale > 0 && options.scale <= 20, "scale", options.scale, "above 0, up to 20");
  const double scale = options.scale;
  KnownTarget target;
  target.name = fmt::format("funnel_d{}_s{}", options.dim, format_double(scale));
  target.density = std::make_unique<Funnel>(options.dim, scale);
  const at::TensorOptions doubles(at::kDouble);
  target.reference.mean = at::zeros({options.dim}, doubles);
  target.reference.sd = at::full({options.dim}, std::exp(scale * scale / 4), doubles);
  target.reference.sd[0].fill_(scale);
  target.reference.covariance = at::diag_embed(target.reference.sd.square());
  target.reference.log_normaliser = 0;
  target.reference.source = "closed form";
  target.sample = [scale](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    auto* x = theta.mutable_data_ptr<double>();
    x[0] *= scale;
    for (int64_t j = 1; j < theta.numel(); ++j) x[j] *= std::exp(x[0] / 2);
  };
  return target;
}

}  // namespace scorevi::targets
