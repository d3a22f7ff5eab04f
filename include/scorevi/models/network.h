// The interface of all networks: a plain torch module from inputs to outputs. It knows nothing
// Bayesian.
#pragma once

#include <torch/nn/module.h>

#include <optional>
#include <string>

namespace scorevi::models {

// What a parameter is before training: one constant, or independent draws from a law around 0.
struct Start {
  enum class Law { kConstant, kUniform, kNormal };
  Law law;
  double scale;  // the constant; the half width of the uniform law; the standard deviation
};

struct Network : torch::nn::Module {
  // x [B, ...input shape] -> outputs [B, outputs]: logits of classes, or means of targets.
  virtual at::Tensor forward(at::Tensor x) = 0;

  // How the parameter called `name` starts, where that is not what PyTorch does for its layer; see
  // initialise().
  virtual std::optional<Start> start_of(const std::string& /*name*/, const at::Tensor& /*parameter*/) const {
    return std::nullopt;
  }
};

}  // namespace scorevi::models
