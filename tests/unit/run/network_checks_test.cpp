#include "network_checks.h"

#include <gtest/gtest.h>

#include "scorevi/models/registry.h"

namespace scorevi::run {
namespace {

std::shared_ptr<models::Network> network(const models::ModelOptions& options, const std::vector<int64_t>& shape) {
  return models::make_network(options, {shape}, /*outputs=*/5, /*seed=*/1);
}

TEST(NetworkChecks, ActivationsOfAPerceptronAreItsLayers) {
  models::ModelOptions options;
  options.hidden = {1000, 3000};
  options.activation = "tanh";
  const auto mlp = network(options, {20});
  // Inputs of the layers are kept, and those of tanh not: it keeps its outputs.
  const double expected = 4.0 * (1000 + 3000);
  EXPECT_NEAR(static_cast<double>(activation_bytes_per_row(*mlp, {20})), expected, 0.1 * expected);
}

TEST(NetworkChecks, ActivationsOfPicturesGrowWithTheirArea) {
  models::ModelOptions options;
  options.name = "cifar_resnet20";
  const auto resnet = network(options, {3, 32, 32});
  const auto small = static_cast<double>(activation_bytes_per_row(*resnet, {3, 32, 32}));
  const auto large = static_cast<double>(activation_bytes_per_row(*resnet, {3, 64, 64}));
  EXPECT_GT(small, 4.0 * 19 * 16 * 32 * 32 / 3);  // a third of 19 convolutions at full size at least
  EXPECT_NEAR(large / small, 4.0, 0.3);
  EXPECT_TRUE(resnet->is_training());
}

TEST(NetworkChecks, TwoBackwardPassesHoldMoreThanOne) {
  models::ModelOptions options;
  options.hidden = {1000, 3000};
  options.activation = "tanh";
  const auto mlp = network(options, {20});
  const auto once = static_cast<double>(activation_bytes_per_row(*mlp, {20}));
  const auto twice = static_cast<double>(second_order_bytes_per_row(*mlp, {20}, "mlp"));
  EXPECT_GT(twice, 2 * once);
  EXPECT_TRUE(mlp->is_training());
  for (const auto& parameter : mlp->parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(NetworkChecks, FrozenParametersAreNotLearned) {
  models::ModelOptions options;
  options.hidden = {10};
  const auto mlp = network(options, {3});
  EXPECT_EQ(learned_parameters(*mlp), 3 * 10 + 10 + 10 * 5 + 5);
  mlp->parameters()[0].set_requires_grad(false);
  EXPECT_EQ(learned_parameters(*mlp), 10 + 10 * 5 + 5);
}

}  // namespace
}  // namespace scorevi::run
