#include "residual_block.h"

#include <ATen/ATen.h>

#include <string>

namespace scorevi::models {

torch::nn::Conv2d same_convolution(int64_t inputs, int64_t outputs, int64_t kernel, int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(inputs, outputs, kernel).stride(stride).padding(kernel / 2).bias(false));
}

ResidualBlock::ResidualBlock(int64_t inputs, const std::vector<ConvolutionPlan>& plan, Shortcut shortcut)
    : new_channels_(plan.back().outputs - inputs) {
  int64_t channels = inputs;
  for (const ConvolutionPlan& next : plan) {
    const std::string number = std::to_string(body_.size() + 1);
    const auto convolution =
        register_module("conv" + number, same_convolution(channels, next.outputs, next.kernel, next.stride));
    body_.emplace_back(convolution, register_module("bn" + number, torch::nn::BatchNorm2d(next.outputs)));
    channels = next.outputs;
    stride_ *= next.stride;
  }
  if (shortcut == Shortcut::kProjection && (stride_ != 1 || new_channels_ != 0)) {
    downsample_ = register_module("downsample", torch::nn::Sequential(same_convolution(inputs, channels, 1, stride_),
                                                                      torch::nn::BatchNorm2d(channels)));
  }
}

at::Tensor ResidualBlock::shortcut(const at::Tensor& x) {
  if (downsample_) return downsample_->forward(x);
  if (stride_ == 1 && new_channels_ == 0) return x;
  const at::Tensor sampled = x.slice(2, 0, std::nullopt, stride_).slice(3, 0, std::nullopt, stride_);
  const int64_t before = new_channels_ / 2;
  return at::constant_pad_nd(sampled, {0, 0, 0, 0, before, new_channels_ - before});
}

// In place where autograd needs no old value: batch norm keeps its input, relu its result.
at::Tensor ResidualBlock::forward(at::Tensor x) {
  at::Tensor y = x;
  for (size_t i = 0; i < body_.size(); ++i) {
    y = body_[i].second->forward(body_[i].first->forward(y));
    if (i + 1 < body_.size()) at::relu_(y);
  }
  return at::relu_(y.add_(shortcut(x)));
}

}  // namespace scorevi::models
