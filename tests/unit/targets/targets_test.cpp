#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/targets/gaussian.h"
#include "scorevi/targets/logistic_regression.h"
#include "support/error_of.h"
#include "support/finite_difference.h"
#include "unit/inference/tools.h"

namespace scorevi::targets {
namespace {

using test::expect_near;
using test::Json;
using test::mat;
using test::vec;

LogisticRegression golden_target(const Json& golden) {
  LogisticRegression target(mat(golden["x"]), vec(golden["y"]), golden["temperature"].get<double>());
  inference::GaussianPrior prior;
  prior.mean = at::zeros({3}, at::kDouble);
  for (const Json& entry : golden["groups"]) {
    inference::GaussianPrior::Group group;
    group.begin = entry["begin"].get<int64_t>();
    group.end = entry["end"].get<int64_t>();
    group.std = test::number(entry["sigma0"]);
    prior.mean.slice(0, group.begin, group.end).fill_(entry["mu0"].get<double>());
    prior.groups.push_back(group);
  }
  target.set_prior(prior);
  return target;
}

// The prior's share, which evaluate() leaves out.
inference::Evaluation prior_part(const LogisticRegression& target, const at::Tensor& theta) {
  inference::Evaluation part;
  part.score = at::zeros_like(theta);
  for (const auto& group : target.prior()->groups) {
    if (std::isinf(group.std)) continue;
    const at::Tensor z = (theta - target.prior()->mean).slice(0, group.begin, group.end) / group.std;
    part.log_density -= (0.5 * z.square() + std::log(group.std * std::sqrt(2 * std::acos(-1.0)))).sum().item<double>();
    part.score.slice(0, group.begin, group.end).copy_(-z / group.std);
  }
  return part;
}

void expect_golden_batch(LogisticRegression& target, const at::Tensor& theta, const Json& expected) {
  target.set_batch(expected["batch"].get<std::vector<int64_t>>());
  const inference::Evaluation evaluation = target.evaluate(theta);
  const inference::Evaluation prior = prior_part(target, theta);
  EXPECT_EQ(evaluation.data_used, static_cast<int64_t>(expected["batch"].size()));
  EXPECT_NEAR(evaluation.log_density + prior.log_density, expected["log_density"].get<double>(), 1e-12 * 20);
  expect_near(evaluation.score + prior.score, vec(expected["score"]), 1e-12);
}

TEST(LogisticRegression, GoldenMinibatches) {
  for (const Json& golden : test::golden_vi()["logistic_minibatch"]) {
    LogisticRegression target = golden_target(golden);
    const at::Tensor theta = vec(golden["theta"]);
    expect_golden_batch(target, theta, golden["full"]);
    for (const Json& batch : golden["batches_of_2"]) expect_golden_batch(target, theta, batch);
    for (const Json& batch : golden["uneven_batches"]) expect_golden_batch(target, theta, batch);
    EXPECT_DOUBLE_EQ(target.loss_scale(), golden["temperature"].get<double>() / 6);
  }
}

TEST(LogisticRegression, ScoreIsTheDerivativeAndBadTemperatureIsRefused) {
  const Json& golden = test::golden_vi()["logistic_minibatch"][1];
  LogisticRegression target = golden_target(golden);
  test::expect_score_is_derivative(target, vec(golden["theta"]));
  target.set_batch({1, 4});
  test::expect_score_is_derivative(target, vec(golden["theta"]));
  EXPECT_EQ(test::message_of(ErrorKind::kUsage,
                             [&] { LogisticRegression(mat(golden["x"]), vec(golden["y"]), /*temperature=*/0.0); }),
            "likelihood.temperature: got 0, expected a number above 0");
}

TEST(Gaussians, ScoreIsTheDerivative) {
  const at::Tensor mean = vec({0.3, -1.2}), theta = vec({0.9, 0.4});
  DiagonalGaussianTarget diagonal(mean, vec({2.5, 0.3}));
  test::expect_score_is_derivative(diagonal, theta);
  GaussianTarget full(mean, at::stack({vec({2.0, 0.7}), vec({0.7, 1.0})}));
  test::expect_score_is_derivative(full, theta);
  GaussianMixture mixture(vec({1.0, 3.0}), at::stack({vec({-2.0, 0.0}), vec({1.5, 0.5})}),
                          at::stack({vec({1.0, 0.5}), vec({0.7, 2.0})}));
  test::expect_score_is_derivative(mixture, theta);
}

TEST(Gaussians, AreNormalised) {
  const at::Tensor zero = vec({0.0});
  DiagonalGaussianTarget unit(zero, vec({1.0}));
  EXPECT_NEAR(unit.evaluate(zero).log_density, -0.9189385332046727, 1e-15);

  // The integral of the mixture over a fine grid is 1.
  GaussianMixture mixture(vec({1.0, 3.0}), at::stack({vec({-2.0}), vec({1.5})}), at::stack({vec({0.5}), vec({0.7})}));
  double integral = 0;
  for (double x = -10; x < 10; x += 0.01) integral += 0.01 * std::exp(mixture.evaluate(vec({x})).log_density);
  EXPECT_NEAR(integral, 1, 1e-10);
}

TEST(Gaussians, MixtureFarAwayStaysFinite) {
  GaussianMixture mixture(vec({1.0, 1.0}), at::stack({vec({-2.0}), vec({2.0})}), at::stack({vec({0.1}), vec({0.1})}));
  const inference::Evaluation far = mixture.evaluate(vec({1e4}));
  EXPECT_TRUE(std::isfinite(far.log_density));
  EXPECT_NEAR(far.score.item<double>(), -(1e4 - 2) / 0.01, 1e-3);
}

TEST(AnalyticTarget, PriorGroupsMustCoverTheVector) {
  DiagonalGaussianTarget target(vec({0.0, 0.0, 0.0}), vec({1.0, 1.0, 1.0}));
  EXPECT_EQ(target.prior(), nullptr);
  inference::GaussianPrior prior;
  prior.groups.push_back({{0, 2}, 1.0});
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [&] { target.set_prior(prior); }),
            "prior: groups cover 2 elements, expected 3");
  prior.groups.push_back({{1, 3}, 1.0});
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { target.set_prior(prior); }),
              ::testing::HasSubstr("gap or overlap"));
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { target.set_prior(0.0); }), ::testing::HasSubstr("bad std"));
  target.set_prior(std::numeric_limits<double>::infinity());
  ASSERT_NE(target.prior(), nullptr);
  EXPECT_EQ(target.prior()->groups[0].end, 3);
}

}  // namespace
}  // namespace scorevi::targets
