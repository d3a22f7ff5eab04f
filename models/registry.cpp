#include "scorevi/models/registry.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cnn.h"
#include "mlp.h"
#include "scorevi/core/error.h"

namespace scorevi::models {
namespace {

void check_widths(const char* key, const std::vector<int64_t>& widths) {
  for (const int64_t width : widths) {
    if (width < 1) {
      throw Error(ErrorKind::kUsage, fmt::format("model.{}: width of a layer, got {}, expected >= 1", key, width));
    }
  }
}

void check_options(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  check_widths("hidden", options.hidden);
  check_widths("channels", options.channels);
  activations().find(options.activation);
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("model.dropout: share of dropped units, got {}, expected 0 <= dropout < 1", options.dropout));
  }
  if (outputs < 1) {
    throw Error(ErrorKind::kUsage, fmt::format("model: number of outputs, got {}, expected >= 1", outputs));
  }
  const bool positive = std::all_of(input.shape.begin(), input.shape.end(), [](int64_t size) { return size >= 1; });
  if (input.shape.empty() || !positive) {
    throw Error(ErrorKind::kUsage,
                fmt::format("model: shape of the input, got [{}], expected sizes >= 1", fmt::join(input.shape, ", ")));
  }
}

}  // namespace

const Factory<Recipe>& networks() {
  static const Factory<Recipe> table(
      "model", {
                   {"mlp", "fully connected layers", {{"hidden", "activation", "dropout"}, make_mlp}},
                   {"cnn",
                    "small convolutional network (LeNet-like) for pictures from 8x8 on",
                    {{"channels", "hidden", "activation", "dropout"}, make_cnn}},
               });
  return table;
}

const Factory<Activation>& activations() {
  static const Factory<Activation> table(
      "activation", {
                        {"relu", "max(x, 0)", [](const at::Tensor& x) { return at::relu(x); }},
                        {"tanh", "hyperbolic tangent", [](const at::Tensor& x) { return at::tanh(x); }},
                        {"gelu", "x Phi(x)", [](const at::Tensor& x) { return at::gelu(x); }},
                        {"silu", "x sigmoid(x)", [](const at::Tensor& x) { return at::silu(x); }},
                        {"sigmoid", "1 / (1 + exp(-x))", [](const at::Tensor& x) { return at::sigmoid(x); }},
                    });
  return table;
}

std::shared_ptr<Network> make_network(const ModelOptions& options, const InputSpec& input, int64_t outputs,
                                      uint64_t seed) {
  const Recipe& recipe = networks().find(options.name).make;
  check_options(options, input, outputs);
  std::shared_ptr<Network> network = recipe.build(options, input, outputs);
  initialise(*network, seed);
  return network;
}

}  // namespace scorevi::models
