#include "scorevi/posterior/likelihood.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "scorevi/core/error.h"

namespace scorevi::posterior {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Categorical, IsTheMeanOfLogProbabilities) {
  const torch::Tensor logits = torch::tensor({{0.0, std::log(3.0)}, {std::log(4.0), 0.0}}, torch::kDouble);
  const Categorical likelihood;
  const double expected = -(std::log(0.75) + std::log(0.2)) / 2;
  EXPECT_NEAR(likelihood.mean_nll(logits, torch::tensor({1, 1})).item<double>(), expected, 1e-14);
  EXPECT_TRUE(
      likelihood.log_predictive(logits).exp().allclose(torch::tensor({{0.25, 0.75}, {0.8, 0.2}}, torch::kDouble)));
  EXPECT_TRUE(likelihood.parameters().empty());
}

TEST(Gaussian, IsTheNormalDensity) {
  Gaussian::Options options;
  options.learned = false;
  options.noise_std = 0.5;
  const Gaussian likelihood(options, torch::kDouble);
  const auto log_normal = [](double z) { return -0.5 * z * z / 0.25 - std::log(0.5 * std::sqrt(2 * M_PI)); };
  const torch::Tensor means = torch::tensor({{1.0}, {2.0}}, torch::kDouble);
  const double expected = -(log_normal(0.5) + log_normal(-1)) / 2;
  EXPECT_NEAR(likelihood.mean_nll(means, torch::tensor({1.5, 1.0}, torch::kDouble)).item<double>(), expected, 1e-13);
  EXPECT_NEAR(likelihood.mean_nll(means, torch::tensor({{1.5}, {1.0}}, torch::kDouble)).item<double>(), expected,
              1e-13);
  EXPECT_NEAR(likelihood.noise_std(), 0.5, 1e-15);
  EXPECT_TRUE(likelihood.parameters().empty());

  const torch::Tensor two = torch::zeros({1, 2}, torch::kDouble);  // outputs of one row add up
  const double both = -(log_normal(0.3) + log_normal(-0.7));
  EXPECT_NEAR(likelihood.mean_nll(two, torch::tensor({{0.3, -0.7}}, torch::kDouble)).item<double>(), both, 1e-13);
}

TEST(Gaussian, DoesNotBroadcastRowsAgainstEachOther) {
  const Gaussian likelihood(Gaussian::Options{}, torch::kDouble);
  EXPECT_THROW(likelihood.mean_nll(torch::zeros({3, 2}, torch::kDouble), torch::zeros({3}, torch::kDouble)), Error);
  EXPECT_THROW(likelihood.mean_nll(torch::zeros({3, 1}, torch::kDouble), torch::zeros({2}, torch::kDouble)), Error);
  EXPECT_THROW(likelihood.mean_nll(torch::zeros({3}, torch::kDouble), torch::zeros({3}, torch::kDouble)), Error);
}

TEST(Gaussian, LearnedNoiseIsAParameter) {
  const Gaussian likelihood(Gaussian::Options{}, torch::kFloat);
  const auto parameters = likelihood.parameters();
  ASSERT_EQ(parameters.size(), 1u);
  EXPECT_EQ(parameters[0].first, "log_noise");
  EXPECT_TRUE(parameters[0].second.requires_grad());
  EXPECT_EQ(parameters[0].second.scalar_type(), torch::kFloat);
  EXPECT_EQ(parameters[0].second.dim(), 0);
  EXPECT_EQ(likelihood.noise_std(), 1);  // the standard deviation of a standardised target
}

TEST(MakeLikelihood, KnowsItsNames) {
  LikelihoodOptions options;
  EXPECT_EQ(make_likelihood(options, torch::kFloat)->name(), "categorical");
  options.name = "gaussian";
  EXPECT_EQ(make_likelihood(options, torch::kFloat)->parameters().size(), 1u);
  options.noise = "fixed";
  EXPECT_EQ(make_likelihood(options, torch::kFloat)->parameters().size(), 0u);
  options.noise = "fxed";
  EXPECT_THAT([&] { make_likelihood(options, torch::kFloat); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"fixed\"")));
  options.name = "gausian";
  EXPECT_THAT([&] { make_likelihood(options, torch::kFloat); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"gaussian\"")));
  options = {"gaussian", "fixed", 0};
  EXPECT_THAT([&] { make_likelihood(options, torch::kFloat); }, ThrowsMessage<Error>(HasSubstr("noise_std")));
}

}  // namespace
}  // namespace scorevi::posterior
