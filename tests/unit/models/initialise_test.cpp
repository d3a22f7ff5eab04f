#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/models/registry.h"
#include "vit.h"

namespace scorevi::models {
namespace {

std::shared_ptr<Network> wide_mlp(uint64_t seed) {
  ModelOptions options;
  options.hidden = {400};
  return make_network(options, {{100}}, 10, seed);
}

TEST(Initialise, IsUniformWithPytorchsBounds) {
  const auto network = wide_mlp(5);
  for (const auto& [name, fan_in] : {std::pair<const char*, double>{"fc1.weight", 100}, {"fc2.weight", 400}}) {
    const torch::Tensor u = network->named_parameters()[name].detach().to(torch::kDouble) * std::sqrt(fan_in);
    const double n = static_cast<double>(u.numel());
    EXPECT_LE(u.abs().max().item<double>(), 1);
    EXPECT_GT(u.abs().max().item<double>(), 0.99);
    EXPECT_LT(std::abs(u.mean().item<double>()), 4 / std::sqrt(3 * n));
    EXPECT_NEAR(u.square().mean().item<double>(), 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
  }
  const torch::Tensor bias = network->named_parameters()["fc1.bias"].detach() * 10;
  EXPECT_LE(bias.abs().max().item<double>(), 1);
  EXPECT_NEAR(bias.square().mean().item<double>(), 1.0 / 3, 4 * std::sqrt(4.0 / 45 / 400));
}

TEST(Initialise, HasTheBoundsOfTorchsOwnConvolution) {
  ModelOptions options;
  options.name = "cnn";
  const auto network = make_network(options, {{3, 28, 28}}, 10, 0);
  const double bound = 1 / std::sqrt(6.0 * 25);
  const double largest = network->named_parameters()["conv2.weight"].abs().max().item<double>();
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.99 * bound);
  const torch::nn::Conv2d theirs(torch::nn::Conv2dOptions(6, 16, 5));
  EXPECT_LE(theirs->weight.abs().max().item<double>(), bound);
  EXPECT_GT(theirs->weight.abs().max().item<double>(), 0.99 * bound);
}

TEST(Initialise, IsAFunctionOfTheSeedAlone) {
  torch::manual_seed(1);
  const auto first = wide_mlp(7);
  torch::manual_seed(2);
  const auto again = wide_mlp(7);
  const auto other = wide_mlp(8);
  for (const auto& parameter : first->named_parameters()) {
    EXPECT_TRUE(parameter.value().equal(again->named_parameters()[parameter.key()])) << parameter.key();
    EXPECT_FALSE(parameter.value().equal(other->named_parameters()[parameter.key()])) << parameter.key();
  }
}

TEST(Initialise, DrawsByParameterAndElement) {
  const auto network = wide_mlp(7);
  const CounterRng rng(7, Purpose::kInitialisation, /*step=*/0, /*sample=*/2);  // fc2.weight
  const float expected = static_cast<float>((2 * rng.uniform(401) - 1) / 20);
  EXPECT_EQ(network->named_parameters()["fc2.weight"][1][1].item<float>(), expected);
}

struct WithNorm : Network {
  WithNorm() {
    register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 2, 3)));
    register_module("norm", torch::nn::BatchNorm2d(2));
  }
  at::Tensor forward(at::Tensor x) override { return x; }
};

TEST(Initialise, LeavesNormLayersAtOneAndZero) {
  WithNorm network;
  initialise(network, 0);
  EXPECT_TRUE(network.named_parameters()["norm.weight"].equal(torch::ones(2)));
  EXPECT_TRUE(network.named_parameters()["norm.bias"].equal(torch::zeros(2)));
}

std::shared_ptr<Network> vision_network(const std::string& name) {
  ModelOptions options;
  options.name = name;
  return make_network(options, {{3, 64, 64}}, 10, 4);
}

// Kurtosis tells the uniform law (9/5) from the normal one (3).
void expect_law(const Network& network, const std::string& name, double std, double kurtosis) {
  const at::Tensor z = network.named_parameters()[name].detach().to(torch::kDouble) / std;
  const auto n = static_cast<double>(z.numel());
  EXPECT_LT(std::abs(z.mean().item<double>()), 5 / std::sqrt(n)) << name;
  EXPECT_NEAR(z.square().mean().item<double>(), 1, 5 * std::sqrt((kurtosis - 1) / n)) << name;
  EXPECT_NEAR(z.pow(4).mean().item<double>(), kurtosis, 5 * std::sqrt(96 / n)) << name;
}

TEST(Initialise, FollowsEachResidualNetwork) {
  const auto imagenet = vision_network("resnet50");
  expect_law(*imagenet, "conv1.weight", std::sqrt(2.0 / (64 * 49)), 3);
  expect_law(*imagenet, "layer2.0.conv1.weight", std::sqrt(2.0 / 128), 3);
  expect_law(*imagenet, "fc.weight", 1 / std::sqrt(3 * 2048.0), 1.8);
  const auto cifar = vision_network("cifar_resnet20");
  expect_law(*cifar, "layer2.0.conv1.weight", std::sqrt(2.0 / (16 * 9)), 3);
  expect_law(*cifar, "linear.weight", std::sqrt(2.0 / 64), 3);
  const auto lite = vision_network("efficientnet_lite0");
  expect_law(*lite, "_blocks.1._expand_conv.weight", std::sqrt(2.0 / 96), 3);
  expect_law(*lite, "_blocks.13._depthwise_conv.weight", std::sqrt(2.0 / 25), 3);
}

TEST(Initialise, FollowsTorchvisionsTransformer) {
  const auto network = make_vit({/*patch=*/32, /*layers=*/2, /*heads=*/4, /*width=*/256}, {}, {{3, 64, 64}}, 10);
  initialise(*network, 4);
  const std::string layer = "encoder.layers.encoder_layer_1.";
  expect_law(*network, "encoder.pos_embedding", 0.02, 3);
  expect_law(*network, "conv_proj.weight", 1 / std::sqrt(3 * 1024.0), 3);
  expect_law(*network, layer + "self_attention.in_proj_weight", std::sqrt(2.0 / (4 * 256)), 1.8);
  expect_law(*network, layer + "self_attention.out_proj.weight", 1 / std::sqrt(3 * 256.0), 1.8);
  expect_law(*network, layer + "mlp.0.weight", std::sqrt(2.0 / (5 * 256)), 1.8);
  expect_law(*network, layer + "mlp.3.bias", 1e-6, 3);
  for (const std::string zero : {"class_token", "conv_proj.bias", "heads.head.weight", "heads.head.bias",
                                 "encoder.layers.encoder_layer_1.self_attention.in_proj_bias",
                                 "encoder.layers.encoder_layer_1.self_attention.out_proj.bias", "encoder.ln.bias"})
    EXPECT_EQ(network->named_parameters()[zero].abs().max().item<double>(), 0) << zero;
}

TEST(Initialise, SetsEveryParameterOfEveryNetwork) {
  for (const auto& entry : networks().entries()) {
    if (entry.name.rfind("vit_", 0) == 0 && entry.name != "vit_b_32") continue;  // the same code, but larger
    ModelOptions options;
    options.name = entry.name;
    const auto network = build_network(options, {{3, 32, 32}}, 10);
    {
      const torch::NoGradGuard no_grad;
      for (at::Tensor& parameter : network->parameters()) parameter.fill_(std::nan(""));
    }
    initialise(*network, 7);
    for (const auto& parameter : network->named_parameters())
      EXPECT_TRUE(parameter.value().isfinite().all().item<bool>()) << entry.name << " " << parameter.key();
  }
}

TEST(Initialise, DrawsNormalNumbersByElement) {
  const auto network = vision_network("resnet18");
  const CounterRng rng(4, Purpose::kInitialisation, /*step=*/0, /*sample=*/0);  // conv1.weight
  const at::Tensor weight = network->named_parameters()["conv1.weight"].flatten();
  for (const int64_t i : {0, 1, 5, 9407}) {
    const double expected = std::sqrt(2.0 / (64 * 49)) * rng.normal(static_cast<uint64_t>(i));
    EXPECT_EQ(weight[i].item<float>(), static_cast<float>(expected)) << i;
  }
}

TEST(Initialise, RefusesParametersItDoesNotKnow) {
  WithNorm network;
  network.register_parameter("token", torch::zeros(3));
  EXPECT_THROW(initialise(network, 0), InternalError);
}

}  // namespace
}  // namespace scorevi::models
