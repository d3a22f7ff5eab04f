#include <gmock/gmock.h>
#include <torch/torch.h>

#include <map>

#include "scorevi/core/error.h"
#include "scorevi/models/registry.h"

namespace scorevi::models {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> parameter_names(const Network& network) { return network.named_parameters().keys(); }

int64_t parameter_count(const Network& network) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

TEST(Mlp, HasTheLayersItWasAskedFor) {
  ModelOptions options;
  options.hidden = {100, 30};
  const auto network = make_network(options, {{64}}, 10, /*seed=*/0);
  EXPECT_THAT(parameter_names(*network),
              ElementsAre("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias"));
  EXPECT_EQ(parameter_count(*network), 64 * 100 + 100 + 100 * 30 + 30 + 30 * 10 + 10);
  EXPECT_EQ(network->forward(torch::zeros({5, 64})).sizes(), at::IntArrayRef({5, 10}));
}

TEST(Mlp, FlattensPicturesAndMayBeLinear) {
  ModelOptions options;
  options.hidden = {};
  const auto network = make_network(options, {{1, 8, 8}}, 3, /*seed=*/0);
  EXPECT_EQ(parameter_count(*network), 64 * 3 + 3);
  const torch::Tensor x = torch::rand({4, 1, 8, 8});
  const auto parameters = network->named_parameters();
  const torch::Tensor expected = torch::mm(x.view({4, 64}), parameters["fc1.weight"].t()) + parameters["fc1.bias"];
  EXPECT_TRUE(network->forward(x).allclose(expected, 1e-5, 1e-6));
}

TEST(ExpectedParameters, AreThoseOfTheNetwork) {
  ModelOptions options;
  options.hidden = {20, 30};
  options.channels = {3, 4, 5};
  for (const char* name : {"mlp", "cnn"}) {
    options.name = name;
    const auto network = make_network(options, {{2, 9, 17}}, 7, /*seed=*/0);
    EXPECT_EQ(expected_parameters(options, {{2, 9, 17}}, 7), static_cast<double>(parameter_count(*network))) << name;
  }
  options.hidden = {};
  options.channels = {};
  for (const char* name : {"mlp", "cnn"}) {
    options.name = name;
    EXPECT_EQ(expected_parameters(options, {{2, 3, 4}}, 7), 24 * 7 + 7) << name;
  }
}

TEST(ExpectedParameters, NeedNoMemoryAndDoNotOverflow) {
  ModelOptions options;
  options.hidden = {int64_t{1} << 62, int64_t{1} << 62};
  EXPECT_NEAR(expected_parameters(options, {{1}}, 1), std::ldexp(1.0, 124), std::ldexp(1.0, 80));
}

TEST(Mlp, AppliesTheActivationBetweenLayersOnly) {
  const std::map<std::string, torch::Tensor (*)(const torch::Tensor&)> formulas = {
      {"relu", [](const torch::Tensor& x) { return x.clamp_min(0); }},
      {"tanh", [](const torch::Tensor& x) { return (x.exp() - (-x).exp()) / (x.exp() + (-x).exp()); }},
      {"gelu", [](const torch::Tensor& x) { return x * 0.5 * (1 + torch::erf(x / std::sqrt(2.0))); }},
      {"silu", [](const torch::Tensor& x) { return x / (1 + (-x).exp()); }},
      {"sigmoid", [](const torch::Tensor& x) { return 1 / (1 + (-x).exp()); }}};
  const torch::Tensor x = torch::linspace(-2, 2, 12, torch::kDouble).view({4, 3});
  ASSERT_EQ(activations().entries().size(), formulas.size());
  for (const auto& [name, formula] : formulas) {
    ModelOptions options;
    options.hidden = {7};
    options.activation = name;
    const auto network = make_network(options, {{3}}, 2, /*seed=*/1);
    network->to(torch::kDouble);
    const auto p = network->named_parameters();
    const torch::Tensor hidden = formula(torch::mm(x, p["fc1.weight"].t()) + p["fc1.bias"]);
    const torch::Tensor expected = torch::mm(hidden, p["fc2.weight"].t()) + p["fc2.bias"];
    EXPECT_TRUE(network->forward(x).allclose(expected, 1e-10, 1e-12)) << name;
  }
}

TEST(Mlp, DropoutActsInTrainingOnly) {
  ModelOptions options;
  options.dropout = 0.5;
  const auto network = make_network(options, {{6}}, 2, /*seed=*/0);
  const torch::Tensor x = torch::ones({8, 6});
  EXPECT_FALSE(network->forward(x).equal(network->forward(x)));
  network->eval();
  EXPECT_TRUE(network->forward(x).equal(network->forward(x)));
}

TEST(Cnn, TakesPicturesOfAnySizeFromEight) {
  ModelOptions options;
  options.name = "cnn";
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{28, 28}, {8, 8}, {9, 13}}) {
    const auto network = make_network(options, {{3, height, width}}, 10, /*seed=*/0);
    EXPECT_EQ(network->forward(torch::rand({2, 3, height, width})).sizes(), at::IntArrayRef({2, 10}));
    const int64_t flat = 16 * (height / 4) * (width / 4);
    EXPECT_EQ(parameter_count(*network), (3 * 25 + 1) * 6 + (6 * 25 + 1) * 16 + (flat + 1) * 100 + 101 * 10);
  }
}

TEST(Cnn, NamesItsLayers) {
  ModelOptions options;
  options.name = "cnn";
  EXPECT_THAT(parameter_names(*make_network(options, {{1, 28, 28}}, 10, 0)),
              ElementsAre("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "head.fc1.weight",
                          "head.fc1.bias", "head.fc2.weight", "head.fc2.bias"));
}

TEST(Networks, GradientsReachEveryParameter) {
  for (const auto& entry : networks().entries()) {
    if (entry.make.vision) continue;  // their gradients are compared one by one in vision_logits_test.cpp
    ModelOptions options;
    options.name = entry.name;
    const auto network = make_network(options, {{1, 8, 8}}, 4, /*seed=*/3);
    network->forward(torch::rand({16, 1, 8, 8})).square().sum().backward();
    for (const auto& parameter : network->named_parameters())
      EXPECT_GT(parameter.value().grad().abs().sum().item<double>(), 0) << entry.name << " " << parameter.key();
  }
}

void expect_refused(const ModelOptions& options, const InputSpec& input, int64_t outputs, const char* part) {
  EXPECT_THAT([&] { make_network(options, input, outputs, 0); }, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Networks, RefuseOptionsOutOfRange) {
  ModelOptions options;
  options.name = "mpl";
  expect_refused(options, {{4}}, 2, "did you mean \"mlp\"");
  options = {};
  options.hidden = {10, 0};
  expect_refused(options, {{4}}, 2, "model.hidden: width of a layer, got 0");
  options = {};
  options.dropout = 1;
  expect_refused(options, {{4}}, 2, "model.dropout");
  options = {};
  options.activation = "rellu";
  expect_refused(options, {{4}}, 2, "did you mean \"relu\"");
  options = {};
  expect_refused(options, {{4}}, 0, "number of outputs, got 0");
  expect_refused(options, {{}}, 2, "shape of the input");
  options.name = "cnn";
  expect_refused(options, {{64}}, 2, "got shape [64]");
  expect_refused(options, {{1, 3, 8}}, 2, "at least 4 for 2 convolution blocks");
}

}  // namespace
}  // namespace scorevi::models
