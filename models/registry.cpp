#include "scorevi/models/registry.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cnn.h"
#include "efficientnet_lite.h"
#include "mlp.h"
#include "resnet.h"
#include "scorevi/core/error.h"
#include "vit.h"

namespace scorevi::models {
namespace {

void check_widths(const char* key, const std::vector<int64_t>& widths) {
  for (const int64_t width : widths) {
    if (width < 1) {
      throw Error(ErrorKind::kUsage, fmt::format("model.{}: width of a layer, got {}, expected >= 1", key, width));
    }
  }
}

void check_share(const char* key, const char* what, double share) {
  if (share >= 0 && share < 1) return;
  throw Error(ErrorKind::kUsage, fmt::format("model.{0}: {1}, got {2}, expected 0 <= {0} < 1", key, what, share));
}

void check_options(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  check_widths("hidden", options.hidden);
  check_widths("channels", options.channels);
  activations().find(options.activation);
  check_share("dropout", "share of dropped units", options.dropout);
  check_share("stochastic_depth", "how often the last residual block is left out", options.stochastic_depth);
  if (outputs < 1) {
    throw Error(ErrorKind::kUsage, fmt::format("model: number of outputs, got {}, expected >= 1", outputs));
  }
  const bool positive = std::all_of(input.shape.begin(), input.shape.end(), [](int64_t size) { return size >= 1; });
  if (input.shape.empty() || !positive) {
    throw Error(ErrorKind::kUsage,
                fmt::format("model: shape of the input, got [{}], expected sizes >= 1", fmt::join(input.shape, ", ")));
  }
}

using Kind = ResNetPlan::Kind;
constexpr ResNetPlan kResNet18{Kind::kBasic, {2, 2, 2, 2}}, kResNet34{Kind::kBasic, {3, 4, 6, 3}},
    kResNet50{Kind::kBottleneck, {3, 4, 6, 3}}, kResNet101{Kind::kBottleneck, {3, 4, 23, 3}},
    kResNet152{Kind::kBottleneck, {3, 8, 36, 3}}, kCifarResNet20{Kind::kCifar, {3, 3, 3}},
    kCifarResNet32{Kind::kCifar, {5, 5, 5}}, kCifarResNet44{Kind::kCifar, {7, 7, 7}},
    kCifarResNet56{Kind::kCifar, {9, 9, 9}};
constexpr ViTPlan kViTB16{16, 12, 12, 768}, kViTB32{32, 12, 12, 768}, kViTL16{16, 24, 16, 1024},
    kViTL32{32, 24, 16, 1024};

template <const ResNetPlan& plan>
std::shared_ptr<Network> resnet(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  return make_resnet(plan, options, input, outputs);
}

template <const ViTPlan& plan>
std::shared_ptr<Network> vit(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  return make_vit(plan, options, input, outputs);
}

constexpr std::array<double, 3> kImageNetMean{0.485, 0.456, 0.406}, kImageNetStd{0.229, 0.224, 0.225};

// torchvision's first weights (IMAGENET1K_V1).
VisionInput imagenet(const char* head, int64_t resize_size = 256) {
  return {kImageNetMean, kImageNetStd, /*image_size=*/224, resize_size, Interpolation::kBilinear, head};
}

VisionInput cifar() {
  return {kImageNetMean, kImageNetStd, /*image_size=*/32, /*resize_size=*/32, Interpolation::kBilinear, "linear"};
}

// (pixel - 127) / 128.
VisionInput lite0() {
  constexpr double kMean = 127.0 / 255, kStd = 128.0 / 255;
  return {{kMean, kMean, kMean}, {kStd, kStd, kStd}, 224, 256, Interpolation::kBilinear, "_fc"};
}

}  // namespace

const Factory<Recipe>& networks() {
  static const std::vector<std::string> kVitOptions = {"dropout", "activation_checkpointing"};
  static const Factory<Recipe> kTable(
      "model",
      {
          {"mlp", "fully connected layers", {{"hidden", "activation", "dropout"}, make_mlp, {}, mlp_parameters}},
          {"cnn",
           "small convolutional network (LeNet-like) for pictures from 8x8 on",
           {{"channels", "hidden", "activation", "dropout"}, make_cnn, {}, cnn_parameters}},
          {"resnet18", "residual network, 11.7 M parameters", {{}, resnet<kResNet18>, imagenet("fc")}},
          {"resnet34", "residual network, 21.8 M parameters", {{}, resnet<kResNet34>, imagenet("fc")}},
          {"resnet50", "residual network with bottlenecks, 25.6 M parameters", {{}, resnet<kResNet50>, imagenet("fc")}},
          {"resnet101",
           "residual network with bottlenecks, 44.5 M parameters",
           {{}, resnet<kResNet101>, imagenet("fc")}},
          {"resnet152",
           "residual network with bottlenecks, 60.2 M parameters",
           {{}, resnet<kResNet152>, imagenet("fc")}},
          {"cifar_resnet20", "residual network for 32 px, 0.27 M parameters", {{}, resnet<kCifarResNet20>, cifar()}},
          {"cifar_resnet32", "residual network for 32 px, 0.46 M parameters", {{}, resnet<kCifarResNet32>, cifar()}},
          {"cifar_resnet44", "residual network for 32 px, 0.66 M parameters", {{}, resnet<kCifarResNet44>, cifar()}},
          {"cifar_resnet56", "residual network for 32 px, 0.85 M parameters", {{}, resnet<kCifarResNet56>, cifar()}},
          {"vit_b_16",
           "vision transformer, patches of 16 px, 87 M parameters",
           {kVitOptions, vit<kViTB16>, imagenet("heads.head")}},
          {"vit_b_32",
           "vision transformer, patches of 32 px, 88 M parameters",
           {kVitOptions, vit<kViTB32>, imagenet("heads.head")}},
          {"vit_l_16",
           "vision transformer, patches of 16 px, 304 M parameters",
           {kVitOptions, vit<kViTL16>, imagenet("heads.head", 242)}},
          {"vit_l_32",
           "vision transformer, patches of 32 px, 307 M parameters",
           {kVitOptions, vit<kViTL32>, imagenet("heads.head")}},
          {"efficientnet_lite0",
           "depthwise convolutions for small devices, 4.7 M parameters",
           {{"dropout", "stochastic_depth"}, make_efficientnet_lite0, lite0()}},
      });
  return kTable;
}

const Factory<Activation>& activations() {
  static const Factory<Activation> kTable(
      "activation", {
                        {"relu", "max(x, 0)", [](const at::Tensor& x) { return at::relu(x); }},
                        {"tanh", "hyperbolic tangent", [](const at::Tensor& x) { return at::tanh(x); }},
                        {"gelu", "x Phi(x)", [](const at::Tensor& x) { return at::gelu(x); }},
                        {"silu", "x sigmoid(x)", [](const at::Tensor& x) { return at::silu(x); }},
                        {"sigmoid", "1 / (1 + exp(-x))", [](const at::Tensor& x) { return at::sigmoid(x); }},
                    });
  return kTable;
}

double expected_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  const Recipe& recipe = networks().find(options.name).make;
  return recipe.parameters == nullptr ? 0 : recipe.parameters(options, input, outputs);
}

std::shared_ptr<Network> build_network(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  const Recipe& recipe = networks().find(options.name).make;
  check_options(options, input, outputs);
  return recipe.build(options, input, outputs);
}

std::shared_ptr<Network> make_network(const ModelOptions& options, const InputSpec& input, int64_t outputs,
                                      uint64_t seed) {
  std::shared_ptr<Network> network = build_network(options, input, outputs);
  initialise(*network, seed);
  return network;
}

}  // namespace scorevi::models
