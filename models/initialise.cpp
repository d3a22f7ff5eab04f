#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <map>
#include <string>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/models/registry.h"

namespace scorevi::models {
namespace {

// The half width of the uniform distribution of every parameter that is drawn, by name; 0 for those
// that keep the constant they were made with.
std::map<std::string, double> uniform_bounds(const torch::nn::Module& network) {
  std::map<std::string, double> bounds;
  for (const auto& module : network.named_modules(/*name_prefix=*/"", /*include_self=*/false)) {
    const bool drawn = module.value()->as<torch::nn::Linear>() || module.value()->as<torch::nn::Conv2d>();
    const bool norm = module.value()->as<torch::nn::BatchNorm2d>() || module.value()->as<torch::nn::LayerNorm>();
    if (!drawn && !norm) continue;
    const auto parameters = module.value()->named_parameters(/*recurse=*/false);
    double bound = 0;
    if (drawn) {
      const at::Tensor& weight = parameters["weight"];
      bound = 1 / std::sqrt(static_cast<double>(weight.numel() / weight.size(0)));
    }
    for (const auto& parameter : parameters) bounds[module.key() + "." + parameter.key()] = bound;
  }
  return bounds;
}

void fill_uniform(at::Tensor parameter, double bound, const CounterRng& rng) {
  const at::Tensor drawn = at::empty(parameter.sizes(), at::kDouble);
  double* values = drawn.mutable_data_ptr<double>();
  for (int64_t i = 0; i < drawn.numel(); ++i) values[i] = bound * (2 * rng.uniform(static_cast<uint64_t>(i)) - 1);
  parameter.copy_(drawn);
}

}  // namespace

void initialise(torch::nn::Module& network, uint64_t seed) {
  const c10::NoGradGuard no_grad;
  const std::map<std::string, double> bounds = uniform_bounds(network);
  uint32_t index = 0;
  for (auto& parameter : network.named_parameters()) {
    const auto bound = bounds.find(parameter.key());
    if (bound == bounds.end())
      throw InternalError("initialise: parameter \"" + parameter.key() + "\" belongs to no known layer");
    if (bound->second > 0)
      fill_uniform(parameter.value(), bound->second, CounterRng(seed, Purpose::kInitialisation, 0, index));
    ++index;
  }
}

}  // namespace scorevi::models
