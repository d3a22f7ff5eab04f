// Mixtures of unit Gaussians.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "draws.h"
#include "makers.h"
#include "scorevi/core/format.h"
#include "scorevi/targets/gaussian.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

// [K, D].
at::Tensor polygon(const TargetOptions& options) {
  const int64_t k = options.components;
  at::Tensor centres = at::zeros({k, options.dim}, at::TensorOptions(at::kDouble));
  if (k == 1) return centres;
  auto* out = centres.mutable_data_ptr<double>();
  const double radius = options.separation / (2 * std::sin(kPi / static_cast<double>(k)));
  for (int64_t i = 0; i < k; ++i) {
    const double angle = 2 * kPi * static_cast<double>(i) / static_cast<double>(k);
    if (options.dim == 1) {
      out[i] = (static_cast<double>(i) - static_cast<double>(k - 1) / 2) * options.separation;
    } else {
      out[i * options.dim] = radius * std::cos(angle);
      out[i * options.dim + 1] = radius * std::sin(angle);
    }
  }
  return centres;
}

// [K], sum 1.
at::Tensor mixture_weights(const TargetOptions& options) {
  const int64_t k = options.components;
  if (options.weights.empty()) return at::full({k}, 1.0 / static_cast<double>(k), at::TensorOptions(at::kDouble));
  require(static_cast<int64_t>(options.weights.size()) == k, "weights",
          fmt::format("{} of them", options.weights.size()), fmt::format("one per component: {}", k));
  for (const double weight : options.weights) require_positive("weights", weight);
  const at::Tensor weights = at::tensor(options.weights, at::TensorOptions(at::kDouble));
  const at::Tensor shares = weights / weights.sum();
  require(shares.gt(0).all().item<bool>(), "weights",
          fmt::format("{} to {}", weights.min().item<double>(), weights.max().item<double>()),
          "numbers whose sum and shares of it a double can hold");
  return shares;
}

std::string mixture_name(const TargetOptions& options) {
  std::string name =
      fmt::format("mixture_d{}_k{}_sep{}", options.dim, options.components, format_double(options.separation));
  for (size_t i = 0; i < options.weights.size(); ++i) name += (i == 0 ? "_w" : "-") + format_double(options.weights[i]);
  return name;
}

}  // namespace

KnownTarget make_mixture(const TargetOptions& options) {
  require_dim(options, 1, kMaxFullDim);
  require(options.components >= 1 && options.components <= 1000, "components", options.components, "1 to 1000");
  require(options.separation >= 0 && options.separation <= 1e6, "separation", options.separation, "0 to 1e6");
  const at::Tensor centres = polygon(options);
  const at::Tensor weights = mixture_weights(options);
  KnownTarget target;
  target.name = mixture_name(options);
  target.density = std::make_unique<GaussianMixture>(weights, centres, at::ones_like(centres));
  const at::Tensor mean = weights.matmul(centres);
  const at::Tensor offsets = centres - mean;
  target.reference.mean = mean;
  target.reference.covariance = at::eye(options.dim, centres.options()) + (offsets.t() * weights).matmul(offsets);
  target.reference.sd = target.reference.covariance.diagonal().sqrt();
  target.reference.log_normaliser = 0;
  target.reference.gaussian = options.components == 1;
  target.reference.source = "closed form";
  target.sample = [centres, weights](const kernels::NoiseKey& key, at::Tensor theta) {
    fill_normal(key, theta);
    double rest = stream_of(key).uniform(further(theta.numel()));
    const auto* weight = weights.const_data_ptr<double>();
    int64_t component = 0;
    while (component + 1 < weights.numel() && rest > weight[component]) rest -= weight[component++];
    theta.add_(centres[component]);
  };
  if (options.components > 1) {
    for (int64_t i = 0; i < options.components; ++i) target.modes.push_back(centres[i]);
    target.mode_weights = weights;
  }
  return target;
}

}  // namespace scorevi::targets
