// The interface of all networks: a plain torch module from inputs to outputs. It knows nothing
// Bayesian.
#pragma once

#include <torch/nn/module.h>

namespace scorevi::models {

struct Network : torch::nn::Module {
  // x [B, ...input shape] -> outputs [B, outputs]: logits of classes, or means of targets.
  virtual at::Tensor forward(at::Tensor x) = 0;
};

}  // namespace scorevi::models
