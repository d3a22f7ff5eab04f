#include "efficientnet_lite.h"

#include <ATen/ATen.h>

#include "picture.h"
#include "start.h"

namespace scorevi::models {
namespace {

constexpr int64_t kStemChannels = 32, kTopChannels = 1280;

struct StagePlan {
  int64_t blocks, kernel, stride, expansion, outputs;
};

constexpr StagePlan kStages[] = {
    {1, 3, 1, 1, 16},  {2, 3, 2, 6, 24},  {2, 5, 2, 6, 40},  {3, 3, 2, 6, 80},
    {3, 5, 1, 6, 112}, {4, 5, 2, 6, 192}, {1, 3, 1, 6, 320},
};

// The stride belongs to the first block of a stage.
std::vector<InvertedResidual::Plan> block_plans() {
  std::vector<InvertedResidual::Plan> plans;
  int64_t channels = kStemChannels;
  for (const StagePlan& stage : kStages) {
    for (int64_t i = 0; i < stage.blocks; ++i) {
      plans.push_back({channels, stage.expansion, stage.outputs, stage.kernel, i == 0 ? stage.stride : 1});
      channels = stage.outputs;
    }
  }
  return plans;
}

torch::nn::BatchNorm2d batch_norm(int64_t channels) {
  return torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(channels).eps(1e-3).momentum(0.01));
}

// Without bias. "SAME" padding is (k - 1)/2 on each side at stride 1; at stride 2 one row and column
// less at the top and left, so that (k - 2)/2 is on all sides and pad_stride_two() adds the rest.
torch::nn::Conv2d convolution(int64_t inputs, int64_t outputs, int64_t kernel, int64_t stride, int64_t groups = 1) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, kernel)
                               .stride(stride)
                               .padding((kernel - stride) / 2)
                               .groups(groups)
                               .bias(false));
}

at::Tensor pad_stride_two(const at::Tensor& x) { return at::constant_pad_nd(x, {0, 1, 0, 1}); }

}  // namespace

InvertedResidual::InvertedResidual(const Plan& plan, double skip_rate)
    : stride_(plan.stride), residual_(plan.stride == 1 && plan.inputs == plan.outputs), skip_rate_(skip_rate) {
  const int64_t middle = plan.inputs * plan.expansion;
  if (plan.expansion != 1) {
    expand_ = register_module("_expand_conv", convolution(plan.inputs, middle, 1, 1));
    expand_norm_ = register_module("_bn0", batch_norm(middle));
  }
  depthwise_ = register_module("_depthwise_conv", convolution(middle, middle, plan.kernel, plan.stride, middle));
  depthwise_norm_ = register_module("_bn1", batch_norm(middle));
  project_ = register_module("_project_conv", convolution(middle, plan.outputs, 1, 1));
  project_norm_ = register_module("_bn2", batch_norm(plan.outputs));
}

// In place where autograd needs no old value: batch norm keeps its input, relu6 its result.
at::Tensor InvertedResidual::forward(at::Tensor x) {
  at::Tensor y = x;
  if (expand_) {
    y = expand_norm_->forward(expand_->forward(y));
    at::relu6_(y);
  }
  if (stride_ == 2) y = pad_stride_two(y);
  y = depthwise_norm_->forward(depthwise_->forward(y));
  at::relu6_(y);
  y = project_norm_->forward(project_->forward(y));
  if (!residual_) return y;
  if (is_training() && skip_rate_ > 0) {
    const double kept = 1 - skip_rate_;
    y.mul_(at::empty({x.size(0), 1, 1, 1}, x.options()).bernoulli_(kept).div_(kept));
  }
  return y.add_(x);
}

EfficientNetLite::EfficientNetLite(const ModelOptions& options, int64_t inputs, int64_t outputs) {
  stem_ = register_module("_conv_stem", convolution(inputs, kStemChannels, 3, 2));
  stem_norm_ = register_module("_bn0", batch_norm(kStemChannels));
  const std::vector<InvertedResidual::Plan> plans = block_plans();
  blocks_ = register_module("_blocks", torch::nn::Sequential());
  for (size_t i = 0; i < plans.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(plans.size());
    blocks_->push_back(std::make_shared<InvertedResidual>(plans[i], options.stochastic_depth * share));
  }
  top_ = register_module("_conv_head", convolution(plans.back().outputs, kTopChannels, 1, 1));
  top_norm_ = register_module("_bn1", batch_norm(kTopChannels));
  dropout_ = register_module("_dropout", torch::nn::Dropout(options.dropout));
  fc_ = register_module("_fc", torch::nn::Linear(kTopChannels, outputs));
}

at::Tensor EfficientNetLite::forward(at::Tensor x) {
  x = stem_norm_->forward(stem_->forward(pad_stride_two(x)));
  x = blocks_->forward(at::relu6_(x));
  x = top_norm_->forward(top_->forward(x));
  at::relu6_(x);
  return fc_->forward(dropout_->forward(x.mean({2, 3})));
}

std::optional<Start> EfficientNetLite::start_of(const std::string&, const at::Tensor& parameter) const {
  if (parameter.dim() != 4) return std::nullopt;
  const bool depthwise = parameter.size(1) == 1;
  return kaiming_normal(depthwise ? fan_in(parameter) : fan_out(parameter));
}

std::shared_ptr<Network> make_efficientnet_lite0(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  check_picture(options.name, input);
  return std::make_shared<EfficientNetLite>(options, input.shape[0], outputs);
}

}  // namespace scorevi::models
