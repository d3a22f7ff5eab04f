// The building block of residual networks (He, Zhang, Ren, Sun 2015):
//   x -> relu(body(x) + shortcut(x)),   body = convolution, batch norm, relu, ..., convolution, batch norm.
#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace scorevi::models {

// A square convolution without bias that keeps height and width at stride 1.
torch::nn::Conv2d same_convolution(int64_t inputs, int64_t outputs, int64_t kernel, int64_t stride);

struct ConvolutionPlan {
  int64_t outputs, kernel, stride;
};

// What stands in for the identity where the body changes the size.
enum class Shortcut {
  kProjection,  // a 1x1 convolution and a batch norm, called downsample.0 and downsample.1
  kZeroPad,     // every second row and column; new channels, half of them on either side, are 0 ("option A")
};

// Layers are called conv1, bn1, conv2, bn2, ...; x keeps its memory format.
class ResidualBlock final : public torch::nn::Module {
 public:
  ResidualBlock(int64_t inputs, const std::vector<ConvolutionPlan>& plan, Shortcut shortcut);
  at::Tensor forward(at::Tensor x);

 private:
  at::Tensor shortcut(const at::Tensor& x);

  std::vector<std::pair<torch::nn::Conv2d, torch::nn::BatchNorm2d>> body_;
  torch::nn::Sequential downsample_{nullptr};  // empty without a projection
  int64_t stride_ = 1;
  int64_t new_channels_;
};

}  // namespace scorevi::models
