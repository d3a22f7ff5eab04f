#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "scorevi/core/check.h"
#include "scorevi/core/philox.h"
#include "scorevi/models/registry.h"

namespace scorevi::models {
namespace {

constexpr int64_t kWords = 4;                // of a Philox block
constexpr int64_t kBlocksPerTask = 1 << 14;  // a third of a millisecond of work

// What PyTorch does for its own layers, by the parameter's name.
std::map<std::string, Start> layer_starts(const Network& network) {
  std::map<std::string, Start> starts;
  for (const auto& module : network.named_modules(/*name_prefix=*/"", /*include_self=*/false)) {
    const bool drawn = module.value()->as<torch::nn::Linear>() || module.value()->as<torch::nn::Conv2d>();
    const bool norm = module.value()->as<torch::nn::BatchNorm2d>() || module.value()->as<torch::nn::LayerNorm>();
    if (!drawn && !norm) continue;
    const auto parameters = module.value()->named_parameters(/*recurse=*/false);
    for (const auto& parameter : parameters) {
      Start start{Start::Law::kConstant, parameter.key() == "weight" ? 1.0 : 0.0};
      if (drawn) {
        const at::Tensor& weight = parameters["weight"];
        const int64_t fan_in = weight.numel() / weight.size(0);
        start = {Start::Law::kUniform, 1 / std::sqrt(static_cast<double>(fan_in))};
      }
      starts.emplace(module.key() + "." + parameter.key(), start);
    }
  }
  return starts;
}

// The draws of one Philox block.
void draw(const Start& start, const PhiloxWords& words, double (&values)[kWords]) {
  if (start.law == Start::Law::kUniform) {
    for (int i = 0; i < kWords; ++i) values[i] = start.scale * (2 * uniform_from_word(words.w[i]) - 1);
    return;
  }
  for (int i = 0; i < kWords; i += 2) {
    const NormalPair pair = normal_from_words(words.w[i], words.w[i + 1]);
    values[i] = start.scale * pair.first;
    values[i + 1] = start.scale * pair.second;
  }
}

template <class Real>
void fill(Real* out, int64_t count, const Start& start, PhiloxKey key, uint32_t sample) {
  const int64_t blocks = (count + kWords - 1) / kWords;
  at::parallel_for(0, blocks, kBlocksPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const PhiloxCounter counter =
          philox_counter(static_cast<uint64_t>(block), Purpose::kInitialisation, /*step=*/0, sample);
      double values[kWords];
      draw(start, philox4x32_10(counter, key), values);
      const int64_t first = block * kWords;
      for (int64_t i = 0; i < std::min(kWords, count - first); ++i) out[first + i] = static_cast<Real>(values[i]);
    }
  });
}

void set(at::Tensor& parameter, const Start& start, PhiloxKey key, uint32_t sample) {
  if (start.law == Start::Law::kConstant) {
    parameter.fill_(start.scale);
    return;
  }
  SCOREVI_CHECK(parameter.is_cpu() && parameter.is_contiguous());
  AT_DISPATCH_FLOATING_TYPES(parameter.scalar_type(), "initialise", [&] {
    fill(parameter.mutable_data_ptr<scalar_t>(), parameter.numel(), start, key, sample);
  });
}

}  // namespace

void initialise(Network& network, uint64_t seed) {
  const c10::NoGradGuard no_grad;
  const std::map<std::string, Start> of_layers = layer_starts(network);
  const PhiloxKey key = philox_key(seed);
  uint32_t sample = 0;
  for (auto& parameter : network.named_parameters()) {
    std::optional<Start> start = network.start_of(parameter.key(), parameter.value());
    const auto of_layer = of_layers.find(parameter.key());
    if (!start && of_layer != of_layers.end()) start = of_layer->second;
    if (!start) throw InternalError("initialise: parameter \"" + parameter.key() + "\" belongs to no known layer");
    set(parameter.value(), *start, key, sample++);
  }
}

}  // namespace scorevi::models
