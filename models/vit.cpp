#include "vit.h"

#include <ATen/ATen.h>

#include <cmath>

#include "picture.h"
#include "recompute.h"
#include "scorevi/core/text.h"
#include "start.h"

namespace scorevi::models {
namespace {

constexpr int64_t kMlpExpansion = 4;

torch::nn::LayerNorm layer_norm(int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-6));
}

}  // namespace

SelfAttention::SelfAttention(int64_t width, int64_t heads) : heads_(heads) {
  in_proj_weight_ = register_parameter("in_proj_weight", at::zeros({3 * width, width}));
  in_proj_bias_ = register_parameter("in_proj_bias", at::zeros({3 * width}));
  out_proj_ = register_module("out_proj", torch::nn::Linear(width, width));
}

at::Tensor SelfAttention::forward(const at::Tensor& x) {
  const int64_t batch = x.size(0), tokens = x.size(1), width = x.size(2);
  const at::Tensor qkv = at::linear(x, in_proj_weight_, in_proj_bias_)
                             .view({batch, tokens, 3, heads_, width / heads_})
                             .permute({2, 0, 3, 1, 4});  // [3, B, heads, tokens, D/heads]
  const at::Tensor mixed = at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]);
  return out_proj_->forward(mixed.transpose(1, 2).reshape({batch, tokens, width}));
}

ViTMlp::ViTMlp(int64_t width, double dropout) {
  widen_ = register_module("0", torch::nn::Linear(width, width * kMlpExpansion));
  narrow_ = register_module("3", torch::nn::Linear(width * kMlpExpansion, width));
  dropout_ = register_module("dropout", torch::nn::Dropout(dropout));
}

at::Tensor ViTMlp::forward(const at::Tensor& x) {
  const at::Tensor hidden = dropout_->forward(at::gelu(widen_->forward(x)));
  return dropout_->forward(narrow_->forward(hidden));
}

ViTLayer::ViTLayer(const ViTPlan& plan, double dropout) {
  ln_1_ = register_module("ln_1", layer_norm(plan.width));
  attention_ = register_module("self_attention", std::make_shared<SelfAttention>(plan.width, plan.heads));
  dropout_ = register_module("dropout", torch::nn::Dropout(dropout));
  ln_2_ = register_module("ln_2", layer_norm(plan.width));
  mlp_ = register_module("mlp", std::make_shared<ViTMlp>(plan.width, dropout));
}

// The sums are not in place: the branches end in views, where autograd would pay with a copy.
at::Tensor ViTLayer::forward(const at::Tensor& x) {
  const at::Tensor y = x + dropout_->forward(attention_->forward(ln_1_->forward(x)));
  return y + mlp_->forward(ln_2_->forward(y));
}

ViTEncoder::ViTEncoder(const ViTPlan& plan, int64_t tokens, const ModelOptions& options)
    : random_(options.dropout > 0), checkpointing_(options.activation_checkpointing) {
  pos_embedding_ = register_parameter("pos_embedding", at::zeros({1, tokens, plan.width}));
  dropout_ = register_module("dropout", torch::nn::Dropout(options.dropout));
  torch::nn::Sequential layers;
  for (int64_t i = 0; i < plan.layers; ++i) {
    layers_.push_back(std::make_shared<ViTLayer>(plan, options.dropout));
    layers->push_back("encoder_layer_" + std::to_string(i), layers_.back());
  }
  register_module("layers", layers);
  ln_ = register_module("ln", layer_norm(plan.width));
}

at::Tensor ViTEncoder::run(ViTLayer& layer, const at::Tensor& x) {
  if (!checkpointing_) return layer.forward(x);
  return recompute_in_backward([&layer](const at::Tensor& tokens) { return layer.forward(tokens); }, x,
                               layer.parameters(), random_ && is_training());
}

at::Tensor ViTEncoder::forward(at::Tensor x) {
  x = dropout_->forward(x + pos_embedding_);
  for (const std::shared_ptr<ViTLayer>& layer : layers_) x = run(*layer, x);
  return ln_->forward(x.select(/*dim=*/1, /*index=*/0));
}

VisionTransformer::VisionTransformer(const ViTPlan& plan, const ModelOptions& options, const InputSpec& input,
                                     int64_t outputs) {
  const int64_t grid = input.shape[1] / plan.patch;
  class_token_ = register_parameter("class_token", at::zeros({1, 1, plan.width}));
  const auto patches = torch::nn::Conv2dOptions(input.shape[0], plan.width, plan.patch).stride(plan.patch);
  conv_proj_ = register_module("conv_proj", torch::nn::Conv2d(patches));
  encoder_ = register_module("encoder", std::make_shared<ViTEncoder>(plan, 1 + grid * grid, options));
  head_ = torch::nn::Linear(plan.width, outputs);
  torch::nn::Sequential heads;
  heads->push_back("head", head_);
  register_module("heads", heads);
}

at::Tensor VisionTransformer::forward(at::Tensor x) {
  const at::Tensor patches = conv_proj_->forward(x).flatten(2).transpose(1, 2);  // [B, grid^2, D]
  const at::Tensor tokens = at::cat({class_token_.expand({x.size(0), -1, -1}), patches}, /*dim=*/1);
  return head_->forward(encoder_->forward(tokens));
}

std::optional<Start> VisionTransformer::start_of(const std::string& name, const at::Tensor& parameter) const {
  constexpr Start kZero{Start::Law::kConstant, 0};
  if (name == "class_token" || name == "conv_proj.bias" || ends_with(name, "in_proj_bias") ||
      ends_with(name, "out_proj.bias") || name.rfind("heads.", 0) == 0)
    return kZero;
  if (name == "encoder.pos_embedding") return Start{Start::Law::kNormal, 0.02};
  if (name == "conv_proj.weight")
    return Start{Start::Law::kNormal, 1 / std::sqrt(static_cast<double>(fan_in(parameter)))};
  if (ends_with(name, "in_proj_weight")) return xavier_uniform(parameter);
  if (name.find(".mlp.") == std::string::npos) return std::nullopt;
  if (parameter.dim() == 1) return Start{Start::Law::kNormal, 1e-6};
  return xavier_uniform(parameter);
}

std::shared_ptr<Network> make_vit(const ViTPlan& plan, const ModelOptions& options, const InputSpec& input,
                                  int64_t outputs) {
  check_square_picture(options.name, input, plan.patch);
  return std::make_shared<VisionTransformer>(plan, options, input, outputs);
}

}  // namespace scorevi::models
