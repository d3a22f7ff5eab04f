#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include "efficientnet_lite.h"
#include "recompute.h"
#include "residual_block.h"
#include "scorevi/core/error.h"
#include "scorevi/models/registry.h"
#include "vision_golden.h"
#include "vit.h"

namespace scorevi::models {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ModelOptions named(const std::string& name) {
  ModelOptions options;
  options.name = name;
  return options;
}

void expect_refused(const std::string& model, const InputSpec& input, const char* part) {
  EXPECT_THAT([&] { make_network(named(model), input, 10, 0); }, ThrowsMessage<Error>(HasSubstr(part))) << model;
}

TEST(VisionNetworks, RefusePicturesTheyCannotTake) {
  for (const char* model : {"resnet18", "cifar_resnet20", "efficientnet_lite0", "vit_b_32"})
    expect_refused(model, {{64}}, "got shape [64], expected [channels, ");
  expect_refused("vit_b_32", {{3, 64, 96}}, "got shape [3, 64, 96]");
  expect_refused("vit_b_32", {{3, 40, 40}}, "size a multiple of 32");
  ModelOptions options = named("efficientnet_lite0");
  options.stochastic_depth = 1;
  EXPECT_THAT(
      [&] {
        make_network(options, {{3, 32, 32}}, 10, 0);
      },
      ThrowsMessage<Error>(HasSubstr("model.stochastic_depth: ")));
}

TEST(VisionNetworks, TakeOtherChannelsAndSizes) {
  for (const char* model : {"resnet18", "resnet50", "cifar_resnet20", "efficientnet_lite0", "vit_b_32"}) {
    const auto network = build_network(named(model), {{1, 96, 96}}, 5);
    EXPECT_EQ(network->forward(torch::rand({2, 1, 96, 96})).sizes(), at::IntArrayRef({2, 5})) << model;
  }
}

// Counts the four-dimensional first inputs of an operation that are not channels_last, among all of them.
struct LayoutCount {
  static inline thread_local int seen = 0, wrong = 0;
  static std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& call) {
    const std::string name = call.name();
    if (name != "aten::relu_" && name != "aten::relu6_" && name != "aten::add_") return nullptr;
    const at::Tensor x = call.inputs()[0].toTensor();
    if (x.dim() != 4 || x.size(2) == 1) return nullptr;
    ++seen;
    wrong += x.is_contiguous(at::MemoryFormat::ChannelsLast) ? 0 : 1;
    return nullptr;
  }
};

TEST(VisionNetworks, KeepChannelsLast) {
  for (const char* model : {"resnet18", "resnet50", "cifar_resnet20", "efficientnet_lite0"}) {
    const auto network = make_network(named(model), {{3, 64, 64}}, 5, 1);
    const at::Tensor x = torch::rand({4, 3, 64, 64});
    const at::Tensor plain = network->forward(x);
    LayoutCount::seen = LayoutCount::wrong = 0;
    const auto observer =
        at::addThreadLocalCallback(at::RecordFunctionCallback(LayoutCount::observe).needsInputs(true));
    const at::Tensor fast = network->forward(x.contiguous(at::MemoryFormat::ChannelsLast));
    at::removeCallback(observer);
    EXPECT_GE(LayoutCount::seen, 17) << model;
    EXPECT_EQ(LayoutCount::wrong, 0) << model;
    EXPECT_TRUE(fast.allclose(plain, 1e-3, 1e-4)) << model;
  }
}

TEST(ResidualBlock, PadsNewChannelsOnBothSides) {
  ResidualBlock block(2, {{4, 3, 2}, {4, 3, 1}}, Shortcut::kZeroPad);
  block.eval();
  const torch::NoGradGuard no_grad;
  for (at::Tensor& parameter : block.parameters()) parameter.zero_();
  const at::Tensor x = torch::rand({3, 2, 5, 6});
  const at::Tensor y = block.forward(x);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({3, 4, 3, 3}));
  EXPECT_TRUE(y.slice(1, 1, 3).equal(x.slice(2, 0, 5, 2).slice(3, 0, 6, 2)));
  EXPECT_EQ(y.select(1, 0).abs().sum().item<float>() + y.select(1, 3).abs().sum().item<float>(), 0);
}

// A delta as depthwise kernel shows where the padding is: its centre visits the odd rows and columns.
TEST(InvertedResidual, ClipsAtSixAndPadsAtTheBottomRight) {
  InvertedResidual block({/*inputs=*/1, /*expansion=*/1, /*outputs=*/2, /*kernel=*/3, /*stride=*/2}, 0);
  block.eval();
  const torch::NoGradGuard no_grad;
  block.named_parameters()["_depthwise_conv.weight"].zero_().select(2, 1).select(2, 1).fill_(1);
  block.named_parameters()["_project_conv.weight"].fill_(1);
  const at::Tensor x = torch::linspace(-8, 16, 48).view({2, 1, 4, 6});
  const at::Tensor expected = (x.slice(2, 1, 4, 2).slice(3, 1, 6, 2) / std::sqrt(1.001)).clamp(0, 6) / std::sqrt(1.001);
  EXPECT_TRUE(block.forward(x).allclose(expected.expand({2, 2, 2, 3}), 1e-5, 1e-6));
}

// With fixed norm statistics the branch kept is the branch of evaluation divided by 1 - rate.
TEST(StochasticDepth, LeavesOutWholeBranchesOfSamples) {
  constexpr double kRate = 0.25;
  InvertedResidual block({8, 6, 8, 3, 1}, kRate);
  block.to(torch::kDouble);
  block.eval();
  const torch::NoGradGuard no_grad;
  const at::Tensor x = torch::rand({2000, 8, 2, 2}, torch::kDouble);
  const at::Tensor branch = block.forward(x) - x;
  block.train();
  for (auto& module : block.children()) module->eval();
  torch::manual_seed(1);
  const at::Tensor ratio = (block.forward(x) - x) / branch;
  const at::Tensor kept = ratio.select(1, 0).select(1, 0).select(1, 0) > 0.5;
  const at::Tensor expected = kept.to(torch::kDouble).div(1 - kRate).view({-1, 1, 1, 1}).expand_as(ratio);
  EXPECT_TRUE(ratio.allclose(expected, 1e-6, 1e-6));
  EXPECT_NEAR(kept.to(torch::kDouble).mean().item<double>(), 1 - kRate, 4 * std::sqrt(kRate * (1 - kRate) / 2000));
}

TEST(StochasticDepth, ActsInTrainingOnly) {
  ModelOptions options = named("efficientnet_lite0");
  options.stochastic_depth = 0.5;
  const auto network = make_network(options, {{3, 32, 32}}, 5, 0);
  const at::Tensor x = torch::rand({8, 3, 32, 32});
  EXPECT_FALSE(network->forward(x).equal(network->forward(x)));
  network->eval();
  EXPECT_TRUE(network->forward(x).equal(network->forward(x)));
}

void expect_dropout_in_training_only(Network& network) {
  const at::Tensor x = torch::rand({4, 3, 32, 32});
  EXPECT_FALSE(network.forward(x).equal(network.forward(x)));
  network.eval();
  EXPECT_TRUE(network.forward(x).equal(network.forward(x)));
}

TEST(Dropout, ActsInTrainingOnly) {
  ModelOptions options = named("efficientnet_lite0");
  options.dropout = 0.5;
  expect_dropout_in_training_only(*build_network(options, {{3, 32, 32}}, 5));
  expect_dropout_in_training_only(*make_vit({8, 3, 2, 16}, options, {{3, 32, 32}}, 5));
}

TEST(PositionEmbedding, KeepsClassTokenAndCorners) {
  const at::Tensor embedding = torch::rand({1, 1 + 9, 4});
  const at::Tensor larger = resize_position_embedding(embedding, 5);
  ASSERT_EQ(larger.sizes(), at::IntArrayRef({1, 1 + 25, 4}));
  EXPECT_TRUE(larger[0][0].equal(embedding[0][0]));
  for (const auto& [before, after] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {5, 13}, {7, 21}, {9, 25}})
    EXPECT_TRUE(larger[0][after].allclose(embedding[0][before], 1e-5, 1e-6)) << before;
  EXPECT_TRUE(resize_position_embedding(embedding, 3).equal(embedding));
}

TEST(PositionEmbedding, RefusesWhatIsNone) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{1, 9, 4}, {2, 10, 4}, {10, 4}, {1, 1, 4}, {1, 0, 4}})
    EXPECT_THROW(resize_position_embedding(torch::zeros(sizes), 4), Error);
  EXPECT_THROW(resize_position_embedding(torch::zeros({1, 10, 4}), 0), Error);
}

constexpr ViTPlan kSmallPlan{/*patch=*/8, /*layers=*/3, /*heads=*/2, /*width=*/16};

std::vector<at::Tensor> training_gradients(bool checkpointing, double dropout, at::Tensor& logits) {
  ModelOptions options = named("small vit");
  options.activation_checkpointing = checkpointing;
  options.dropout = dropout;
  const auto network = make_vit(kSmallPlan, options, {{3, 32, 32}}, 5);
  initialise(*network, 3);
  {
    const torch::NoGradGuard no_grad;
    network->named_parameters()["heads.head.weight"].copy_(torch::linspace(-1, 1, 5 * 16).view({5, 16}));
  }
  torch::manual_seed(8);
  logits = network->forward(test::fill_input({3, 3, 32, 32}));
  torch::rand({3});  // the generator has moved on when the backward pass begins
  logits.square().sum().backward();
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : network->parameters()) gradients.push_back(parameter.grad());
  gradients.push_back(torch::rand({2}));  // and goes on from there
  return gradients;
}

TEST(ActivationCheckpointing, ChangesNoGradient) {
  for (const double dropout : {0.0, 0.3}) {
    at::Tensor plain_logits, logits;
    const auto plain = training_gradients(false, dropout, plain_logits);
    const auto recomputed = training_gradients(true, dropout, logits);
    EXPECT_TRUE(logits.equal(plain_logits));
    ASSERT_EQ(recomputed.size(), plain.size());
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(recomputed[i].equal(plain[i])) << i << " " << dropout;
  }
}

TEST(ActivationCheckpointing, RunsThePartOnceMoreWithFrozenInputs) {
  const at::Tensor weight = torch::rand({4}).requires_grad_();
  const at::Tensor frozen = torch::rand({4});
  int runs = 0;
  const auto part = [&](const at::Tensor& x) {
    ++runs;
    return (x * weight).exp() * frozen;
  };
  const at::Tensor x = torch::rand({4});
  const at::Tensor y = recompute_in_backward(part, x, {weight, frozen}, /*random=*/false);
  EXPECT_EQ(runs, 1);
  y.sum().backward();
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(weight.grad().allclose(x * (x * weight.detach()).exp() * frozen));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(frozen.grad().defined());
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(recompute_in_backward(part, x, {weight, frozen}, false).requires_grad());
}

}  // namespace
}  // namespace scorevi::models
