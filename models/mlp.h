// Fully connected network: x -> flatten -> [linear, activation, dropout] per hidden layer ->
// linear.
#pragma once

#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <memory>
#include <vector>

#include "scorevi/models/registry.h"

namespace scorevi::models {

// Layers are called fc1, fc2, ..., the last one gives the outputs.
class Mlp final : public Network {
 public:
  Mlp(const ModelOptions& options, int64_t inputs, int64_t outputs);
  at::Tensor forward(at::Tensor x) override;

 private:
  std::vector<torch::nn::Linear> layers_;
  torch::nn::Dropout dropout_{nullptr};
  Activation activation_;
};

// Of the network that make_mlp builds, and of such layers behind `inputs` values.
double mlp_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs);
double mlp_parameters(const ModelOptions& options, double inputs, int64_t outputs);

std::shared_ptr<Network> make_mlp(const ModelOptions& options, const InputSpec& input, int64_t outputs);

}  // namespace scorevi::models
