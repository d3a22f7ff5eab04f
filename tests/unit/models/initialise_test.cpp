#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/models/registry.h"

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

struct WithNorm : torch::nn::Module {
  WithNorm() {
    register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 2, 3)));
    register_module("norm", torch::nn::BatchNorm2d(2));
  }
};

TEST(Initialise, LeavesNormLayersAtOneAndZero) {
  WithNorm network;
  initialise(network, 0);
  EXPECT_TRUE(network.named_parameters()["norm.weight"].equal(torch::ones(2)));
  EXPECT_TRUE(network.named_parameters()["norm.bias"].equal(torch::zeros(2)));
}

TEST(Initialise, RefusesParametersItDoesNotKnow) {
  WithNorm network;
  network.register_parameter("token", torch::zeros(3));
  EXPECT_THROW(initialise(network, 0), InternalError);
}

}  // namespace
}  // namespace scorevi::models
