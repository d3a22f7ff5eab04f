#include "scorevi/params/flat_params.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cstdlib>

#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

torch::Device test_device() {
  const char* name = std::getenv("SCOREVI_TEST_DEVICE");
  return torch::Device(name ? name : "cpu");
}

std::vector<std::pair<std::string, torch::Tensor>> named(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, torch::Tensor>> result;
  for (const auto& item : module.named_parameters()) result.emplace_back(item.key(), item.value());
  return result;
}

struct TwoLayers : torch::nn::Module {
  TwoLayers() {
    fc1 = register_module("fc1", torch::nn::Linear(3, 4));
    fc2 = register_module("fc2", torch::nn::Linear(4, 2));
    to(test_device(), torch::kDouble);
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc2->forward(torch::tanh(fc1->forward(x))); }
  torch::Tensor loss() {
    const auto options = torch::TensorOptions(torch::kDouble).device(test_device());
    return forward(torch::linspace(-1, 1, 15, options).view({5, 3})).square().sum();
  }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};

// Gradients by plain autograd, as one vector.
torch::Tensor reference_gradient(TwoLayers& net) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& part : torch::autograd::grad({net.loss()}, net.parameters()))
    parts.push_back(part.reshape(-1));
  return torch::cat(parts);
}

TEST(FlatParams, ParametersBecomeViewsInOrder) {
  TwoLayers net;
  const torch::Tensor before =
      torch::cat({net.fc1->weight.reshape(-1), net.fc1->bias, net.fc2->weight.reshape(-1), net.fc2->bias})
          .detach()
          .clone();
  const FlatParams flat(named(net));
  ASSERT_EQ(flat.dim(), 12 + 4 + 8 + 2);
  EXPECT_EQ(flat.layout().entries()[2].name, "fc2.weight");
  EXPECT_TRUE(flat.values().equal(before));
  EXPECT_FALSE(flat.values().requires_grad());
  EXPECT_TRUE(flat.aliased());

  flat.values().fill_(0.25);
  EXPECT_EQ(net.fc2->bias[1].item<double>(), 0.25);
  EXPECT_EQ(net.fc1->weight[3][2].item<double>(), 0.25);
  EXPECT_TRUE(net.fc1->weight.requires_grad());
  EXPECT_TRUE(net.fc1->weight.is_leaf());
}

TEST(FlatParams, BackwardAccumulatesIntoTheGradientBuffer) {
  TwoLayers net;
  FlatParams flat(named(net));
  const torch::Tensor expected = reference_gradient(net);
  const void* buffer = flat.gradients().const_data_ptr();

  net.loss().backward();
  EXPECT_EQ(flat.gather_gradients(), 0);
  EXPECT_TRUE(flat.gradients().allclose(expected, 1e-12, 1e-14));
  net.loss().backward();
  EXPECT_EQ(flat.gather_gradients(), 0);
  EXPECT_TRUE(flat.gradients().allclose(2 * expected, 1e-12, 1e-14));
  EXPECT_EQ(flat.gradients().const_data_ptr(), buffer);

  flat.zero_gradients();
  EXPECT_EQ(net.fc1->weight.grad().abs().sum().item<double>(), 0);
  flat.values().mul_(0.5);  // the graph follows the values that one fill wrote
  const torch::Tensor moved = reference_gradient(net);
  EXPECT_FALSE(moved.allclose(expected));
  net.loss().backward();
  EXPECT_TRUE(flat.gradients().allclose(moved, 1e-12, 1e-14));
}

TEST(FlatParams, RepairsReplacedAndClearedGradients) {
  TwoLayers net;
  FlatParams flat(named(net));
  const torch::Tensor expected = reference_gradient(net);

  net.loss().backward({}, /*retain_graph=*/c10::nullopt, /*create_graph=*/true);
  EXPECT_EQ(flat.gather_gradients(), 4);
  EXPECT_TRUE(flat.gradients().allclose(expected, 1e-12, 1e-14));

  net.zero_grad(/*set_to_none=*/true);
  flat.zero_gradients();
  net.loss().backward();
  EXPECT_EQ(flat.gather_gradients(), 0);
  EXPECT_TRUE(flat.gradients().allclose(expected, 1e-12, 1e-14));

  net.fc2->bias.mutable_grad() = torch::Tensor();
  EXPECT_EQ(flat.gather_gradients(), 1);
  EXPECT_EQ(flat.layout().view(flat.gradients(), flat.layout().entries()[3]).abs().sum().item<double>(), 0);
}

TEST(FlatParams, FrozenParametersStayOut) {
  TwoLayers net;
  net.fc1->weight.set_requires_grad(false);
  const void* before = net.fc1->weight.const_data_ptr();
  const FlatParams flat(named(net));
  EXPECT_EQ(flat.dim(), 4 + 8 + 2);
  EXPECT_EQ(flat.layout().entries()[0].name, "fc1.bias");
  EXPECT_EQ(net.fc1->weight.const_data_ptr(), before);
}

TEST(FlatParams, TiedParametersAreTakenOnce) {
  TwoLayers net;
  auto list = named(net);
  list.emplace_back("tied.weight", net.fc1->weight);
  const FlatParams flat(list);
  EXPECT_EQ(flat.dim(), 26);
  EXPECT_EQ(flat.layout().entries().size(), 4u);
}

TEST(FlatParams, RefusesWhatCannotBeFlat) {
  TwoLayers net;
  auto overlapping = named(net);
  overlapping.emplace_back("row", net.fc1->weight.detach()[0].requires_grad_());
  EXPECT_THAT([&] { FlatParams flat(overlapping); },
              ThrowsMessage<Error>(AllOf(HasSubstr("fc1.weight"), HasSubstr("row"), HasSubstr("overlap"))));
  EXPECT_TRUE(net.fc1->weight.is_contiguous());

  auto mixed = named(net);
  mixed.emplace_back("half", torch::zeros({2}, test_device()).requires_grad_());
  EXPECT_THAT([&] { FlatParams flat(mixed); }, ThrowsMessage<Error>(HasSubstr("got half")));

  for (torch::Tensor& parameter : net.parameters()) parameter.set_requires_grad(false);
  EXPECT_THAT([&] { FlatParams flat(named(net)); }, ThrowsMessage<Error>(HasSubstr("nothing to train")));
}

TEST(FlatParams, NoticesParametersThatMovedAway) {
  TwoLayers net;
  const FlatParams flat(named(net));
  net.fc1->weight.set_data(torch::zeros_like(net.fc1->weight));
  EXPECT_FALSE(flat.aliased());
}

TEST(FlatParams, WithoutGradientsHoldsOneBuffer) {
  TwoLayers net;
  FlatParamsOptions options;
  options.gradients = false;
  const FlatParams flat(named(net), options);
  EXPECT_FALSE(flat.gradients().defined());
  EXPECT_TRUE(flat.aliased());
}

TEST(FlatParams, CanBeFlattenedAgain) {
  TwoLayers net;
  const FlatParams first(named(net));
  const FlatParams second(named(net));
  EXPECT_FALSE(first.aliased());
  EXPECT_TRUE(second.aliased());
  EXPECT_TRUE(second.values().equal(first.values()));
}

}  // namespace
}  // namespace scorevi::params
