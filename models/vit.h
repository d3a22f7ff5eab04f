// Vision transformers (Dosovitskiy et al., "An image is worth 16x16 words", 2021):
//   x -> patches p x p, each a token of D numbers; class token in front; + position embedding
//     -> [x + attention(norm x), x + mlp(norm x)] per layer -> norm -> class token -> linear.
#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <memory>
#include <optional>
#include <string>

#include "scorevi/models/registry.h"

namespace scorevi::models {

struct ViTPlan {
  int64_t patch, layers, heads, width;  // width: D, a multiple of heads; the MLP is four times as wide
};

// softmax(q k^T / sqrt(D/heads)) v per head; q, k, v = x W + b are one product. [B, tokens, D] -> the same.
class SelfAttention final : public torch::nn::Module {
 public:
  SelfAttention(int64_t width, int64_t heads);
  at::Tensor forward(const at::Tensor& x);

 private:
  int64_t heads_;
  at::Tensor in_proj_weight_, in_proj_bias_;
  torch::nn::Linear out_proj_{nullptr};
};

// Linear, exact GELU, dropout, linear, dropout; layers "0" and "3", as in torchvision.
class ViTMlp final : public torch::nn::Module {
 public:
  ViTMlp(int64_t width, double dropout);
  at::Tensor forward(const at::Tensor& x);

 private:
  torch::nn::Linear widen_{nullptr}, narrow_{nullptr};
  torch::nn::Dropout dropout_{nullptr};
};

class ViTLayer final : public torch::nn::Module {
 public:
  ViTLayer(const ViTPlan& plan, double dropout);
  at::Tensor forward(const at::Tensor& x);

 private:
  torch::nn::LayerNorm ln_1_{nullptr}, ln_2_{nullptr};
  std::shared_ptr<SelfAttention> attention_;
  torch::nn::Dropout dropout_{nullptr};
  std::shared_ptr<ViTMlp> mlp_;
};

// Tokens [B, tokens, D] -> class token [B, D].
class ViTEncoder final : public torch::nn::Module {
 public:
  ViTEncoder(const ViTPlan& plan, int64_t tokens, const ModelOptions& options);
  at::Tensor forward(at::Tensor x);

 private:
  at::Tensor run(ViTLayer& layer, const at::Tensor& x);

  at::Tensor pos_embedding_;
  torch::nn::Dropout dropout_{nullptr};
  std::vector<std::shared_ptr<ViTLayer>> layers_;
  torch::nn::LayerNorm ln_{nullptr};
  bool random_, checkpointing_;
};

// Layers are called as in torchvision: class_token, conv_proj, encoder.pos_embedding,
// encoder.layers.encoder_layer_0.ln_1, ..., heads.head. `dropout` acts where it does there: on the
// tokens, after attention and twice in each MLP, never on attention weights.
class VisionTransformer final : public Network {
 public:
  VisionTransformer(const ViTPlan& plan, const ModelOptions& options, const InputSpec& input, int64_t outputs);
  // Pictures of another size are refused with c10::Error.
  at::Tensor forward(at::Tensor x) override;

  // As torchvision: position embedding N(0, 0.02^2), conv_proj N(0, 1/fan_in), query-key-value and MLP
  // weights Xavier-uniform, MLP biases N(0, 1e-12); class token, the other biases and the head are 0.
  std::optional<Start> start_of(const std::string& name, const at::Tensor& parameter) const override;

 private:
  at::Tensor class_token_;
  torch::nn::Conv2d conv_proj_{nullptr};
  std::shared_ptr<ViTEncoder> encoder_;
  torch::nn::Linear head_{nullptr};
};

// The input is {channels, size, size}, size a multiple of the patch.
std::shared_ptr<Network> make_vit(const ViTPlan& plan, const ModelOptions& options, const InputSpec& input,
                                  int64_t outputs);

}  // namespace scorevi::models
