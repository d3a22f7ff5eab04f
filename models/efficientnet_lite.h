// EfficientNet-Lite0: EfficientNet-B0 (Tan, Le 2019) without squeeze-and-excitation and with relu6 for
// swish, by Google (2020), made for 224 px and 8-bit devices.
//   block: x -> 1x1 expansion, bn, relu6 -> depthwise k x k, bn, relu6 -> 1x1 projection, bn (+ x)
#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scorevi/models/registry.h"

namespace scorevi::models {

// One block with an inverted bottleneck (MBConv). Layers: _expand_conv and _bn0 (absent at
// expansion 1), _depthwise_conv, _bn1, _project_conv, _bn2. With stride 1 and as many channels out as
// in, x is added; in training, for each sample with probability `skip_rate`, the branch is left out, and
// the branches kept are divided by 1 - skip_rate (stochastic depth).
class InvertedResidual final : public torch::nn::Module {
 public:
  struct Plan {
    int64_t inputs, expansion, outputs, kernel, stride;
  };
  InvertedResidual(const Plan& plan, double skip_rate);
  at::Tensor forward(at::Tensor x);

 private:
  torch::nn::Conv2d expand_{nullptr}, depthwise_{nullptr}, project_{nullptr};
  torch::nn::BatchNorm2d expand_norm_{nullptr}, depthwise_norm_{nullptr}, project_norm_{nullptr};
  int64_t stride_;
  bool residual_;
  double skip_rate_;
};

// Layers are called as in the PyTorch package efficientnet_lite_pytorch: _conv_stem, _bn0, _blocks.0, ...,
// _conv_head, _bn1, _fc. Batch norm: eps 1e-3, momentum 0.01. A stride of 2 pads as TensorFlow does
// ("SAME") at even sizes, one pixel more at the right and bottom; odd sizes, which 224 px never has,
// are padded alike. `dropout` acts before the classifier; block i of 16 has the skip rate
// i/16 `stochastic_depth`. The published weights were trained with 0.2 and 0.2.
class EfficientNetLite final : public Network {
 public:
  EfficientNetLite(const ModelOptions& options, int64_t inputs, int64_t outputs);
  at::Tensor forward(at::Tensor x) override;

  // Convolutions N(0, 2/fan_out), fan_out counted per group (k^2 for depthwise ones), as in the original.
  std::optional<Start> start_of(const std::string& name, const at::Tensor& parameter) const override;

 private:
  torch::nn::Conv2d stem_{nullptr}, top_{nullptr};
  torch::nn::BatchNorm2d stem_norm_{nullptr}, top_norm_{nullptr};
  torch::nn::Sequential blocks_{nullptr};
  torch::nn::Dropout dropout_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

// The input is {channels, height, width}.
std::shared_ptr<Network> make_efficientnet_lite0(const ModelOptions& options, const InputSpec& input, int64_t outputs);

}  // namespace scorevi::models
