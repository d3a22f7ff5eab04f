#include "resnet.h"

#include <ATen/ATen.h>

#include "picture.h"
#include "start.h"

namespace scorevi::models {
namespace {

constexpr int64_t kBottleneckExpansion = 4;

std::vector<ConvolutionPlan> block_plan(ResNetPlan::Kind kind, int64_t width, int64_t stride) {
  if (kind == ResNetPlan::Kind::kBottleneck)
    return {{width, 1, 1}, {width, 3, stride}, {width * kBottleneckExpansion, 1, 1}};
  return {{width, 3, stride}, {width, 3, 1}};
}

}  // namespace

ResNet::ResNet(const ResNetPlan& plan, int64_t inputs, int64_t outputs) : kind_(plan.kind) {
  int64_t width = cifar() ? 16 : 64;
  stem_ =
      register_module("conv1", cifar() ? same_convolution(inputs, width, 3, 1) : same_convolution(inputs, width, 7, 2));
  stem_norm_ = register_module("bn1", torch::nn::BatchNorm2d(width));
  const Shortcut shortcut = cifar() ? Shortcut::kZeroPad : Shortcut::kProjection;
  int64_t channels = width;
  for (size_t s = 0; s < plan.blocks.size() && plan.blocks[s] > 0; ++s) {
    torch::nn::Sequential stage;
    for (int64_t i = 0; i < plan.blocks[s]; ++i) {
      const int64_t stride = i == 0 && s > 0 ? 2 : 1;
      const std::vector<ConvolutionPlan> convolutions = block_plan(kind_, width, stride);
      stage->push_back(std::make_shared<ResidualBlock>(channels, convolutions, shortcut));
      channels = convolutions.back().outputs;
    }
    stages_.push_back(register_module("layer" + std::to_string(s + 1), stage));
    width *= 2;
  }
  head_ = register_module(cifar() ? "linear" : "fc", torch::nn::Linear(channels, outputs));
}

at::Tensor ResNet::forward(at::Tensor x) {
  x = stem_norm_->forward(stem_->forward(x));
  at::relu_(x);
  if (!cifar()) x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  for (torch::nn::Sequential& stage : stages_) x = stage->forward(x);
  return head_->forward(x.mean({2, 3}));
}

std::optional<Start> ResNet::start_of(const std::string& name, const at::Tensor& parameter) const {
  const bool convolution = parameter.dim() == 4;
  if (!convolution && !(cifar() && name == "linear.weight")) return std::nullopt;
  return kaiming_normal(cifar() ? fan_in(parameter) : fan_out(parameter));
}

std::shared_ptr<Network> make_resnet(const ResNetPlan& plan, const ModelOptions& options, const InputSpec& input,
                                     int64_t outputs) {
  check_picture(options.name, input);
  return std::make_shared<ResNet>(plan, input.shape[0], outputs);
}

}  // namespace scorevi::models
