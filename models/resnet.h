// Residual networks (He, Zhang, Ren, Sun, "Deep residual learning for image recognition", 2015), for
// ImageNet and for CIFAR. Both are fully convolutional up to the global mean: pictures of any size
// go through, and x keeps its memory format (channels_last is the faster one).
#pragma once

#include <torch/nn/modules/linear.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "residual_block.h"
#include "scorevi/models/registry.h"

namespace scorevi::models {

struct ResNetPlan {
  enum class Kind {
    kBasic,       // two 3x3 convolutions a block
    kBottleneck,  // 1x1, 3x3, 1x1 with four times the channels out; the stride is on the 3x3 (torchvision, "v1.5")
    kCifar,       // kBasic with a 3x3 stem without pooling and option-A shortcuts
  };
  Kind kind;
  // Of each stage, 0 where there is none; the stages after the first halve the size and double the channels.
  std::array<int64_t, 4> blocks;
};

// Layers are called as in torchvision: conv1, bn1, layer1.0.conv1, ..., fc; the CIFAR networks, as in
// the collection of Y. Idelbayev, end with `linear`.
class ResNet final : public Network {
 public:
  ResNet(const ResNetPlan& plan, int64_t inputs, int64_t outputs);
  at::Tensor forward(at::Tensor x) override;

  // Convolutions N(0, 2/fan_out), as in torchvision; kCifar: convolutions and `linear.weight` N(0, 2/fan_in).
  std::optional<Start> start_of(const std::string& name, const at::Tensor& parameter) const override;

 private:
  bool cifar() const { return kind_ == ResNetPlan::Kind::kCifar; }

  ResNetPlan::Kind kind_;
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d stem_norm_{nullptr};
  std::vector<torch::nn::Sequential> stages_;
  torch::nn::Linear head_{nullptr};
};

// The input is {channels, height, width}.
std::shared_ptr<Network> make_resnet(const ResNetPlan& plan, const ModelOptions& options, const InputSpec& input,
                                     int64_t outputs);

}  // namespace scorevi::models
