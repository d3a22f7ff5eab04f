#include "scorevi/inference/sgld.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "scorevi/core/counter_rng.h"
#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

const double kInfinity = std::numeric_limits<double>::infinity();

void expect_moments(const Draws& draws, double mean, double variance) {
  const GaussianFit fit = gaussian_fit(draws, GaussianForm::kDiagonal);
  EXPECT_LT(std::abs(fit.mean.item<double>() - mean), 4.5 * draws.mean_error.item<double>());
  EXPECT_LT(std::abs(std::sqrt(fit.covariance.item<double>()) - std::sqrt(variance)),
            4.5 * draws.sd_error.item<double>());
}

// On N(m, 1) a constant step eps gives x' - m = (1 - eps/2)(x - m) + sqrt(eps) xi: variance 1 / (1 - eps/4) exactly.
TEST(Sgld, StationaryVarianceOfConstantSteps) {
  targets::DiagonalGaussianTarget target(vec({3}), vec({1}));
  for (const double step_size : {0.1, 1.0}) {
    SgldOptions options;
    options.steps = 50000;
    options.step_size = step_size;
    const Draws draws = sample_sgld(target, options, vec({0}));
    ASSERT_EQ(draws.theta.size(0), 49000);
    EXPECT_EQ(draws.evaluations, 50001);
    EXPECT_EQ(draws.step_size, step_size);
    EXPECT_FALSE(draws.weight.defined());
    expect_moments(draws, 3, 1 / (1 - step_size / 4));
    EXPECT_NEAR(draws.log_density[9].item<double>(), target.evaluate(draws.theta[9]).log_density, 1e-14);
  }
}

// Scores with noise of variance V, as of mini-batches, add (eps/2)^2 V to each step.
TEST(Sgld, NoisyScores) {
  const CounterRng rng(2, Purpose::kTest);
  int64_t batch = -1;
  FunctionTarget target(vec({0}), [&](const at::Tensor& theta, int64_t evaluation) {
    EXPECT_EQ(batch, evaluation);
    return Evaluation{0, -theta + 2 * rng.normal(static_cast<uint64_t>(batch)), 0};
  });
  SgldOptions options;
  options.steps = 50000;
  options.step_size = 0.4;
  options.before_step = [&](int64_t step) { batch = step; };
  const Draws draws = sample_sgld(target, options, vec({0}));
  expect_moments(draws, 0, (0.4 + 0.04 * 4) / (1 - 0.64));
}

// The first of D = 2 coordinates has a prior only.
TEST(Sgld, PriorIsPartOfTheTarget) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t) {
    return Evaluation{0, at::zeros_like(theta), 0};
  });
  target.has_prior = true;
  target.gaussian_prior.mean = vec({-2});
  target.gaussian_prior.groups.resize(1);
  target.gaussian_prior.groups[0] = {{0, 1}, 0.5};
  SgldOptions options;
  options.steps = 20000;
  options.step_size = 0.1;
  expect_moments(sample_sgld(target, options, vec({0})), -2, 0.25 / (1 - 0.1));
}

TEST(Sgld, DecayWeightsTheDraws) {
  targets::DiagonalGaussianTarget target(vec({1}), vec({4}));
  SgldOptions options;
  options.steps = 30000;
  options.burn_in = 10000;
  options.thin = 10;
  options.step_size = 0.2;
  options.decay_power = 1.0 / 3;
  options.decay_start = 500;
  const Draws draws = sample_sgld(target, options, vec({1}));
  const auto step_at = [](double t) { return 0.2 * std::pow(1 + t / 500, -1.0 / 3); };
  ASSERT_EQ(draws.theta.size(0), 2000);
  EXPECT_DOUBLE_EQ(draws.step_size, step_at(29999));
  EXPECT_NEAR(draws.weight.sum().item<double>(), 1, 1e-12);
  // Draw i is the point after step 10000 + 10 (i + 1).
  EXPECT_NEAR((draws.weight[0] / draws.weight[1999]).item<double>(), step_at(10009) / step_at(29999), 1e-12);
  EXPECT_TRUE(std::isnan(draws.mean_error.item<double>()));
  const GaussianFit fit = gaussian_fit(draws, GaussianForm::kFull);
  EXPECT_NEAR(fit.mean.item<double>(), 1, 0.1);            // about 500 independent draws with sd 0.5
  EXPECT_NEAR(fit.covariance.item<double>(), 0.25, 0.07);  // and a bias of 5 %
}

TEST(Sgld, RefusesPointsThatAreNotFinite) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t) {
    const double x = theta[0].item<double>();
    return Evaluation{x > 0 ? -x : std::nan(""), vec({-1}), 0};
  });
  SgldOptions options;
  options.step_size = 0.1;
  const Draws draws = sample_sgld(target, options, vec({1}));
  EXPECT_GT(draws.theta.min().item<double>(), 0);
  EXPECT_GT(draws.divergent, 100);
  EXPECT_FALSE(draws.stopped);
  EXPECT_EQ(draws.theta.size(0), 9000);
}

TEST(Sgld, GivesUp) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t evaluation) {
    return Evaluation{evaluation < 1500 ? 0.0 : kInfinity, -theta, 0};
  });
  const Draws draws = sample_sgld(target, {}, vec({0}));
  EXPECT_TRUE(draws.stopped);
  EXPECT_EQ(draws.evaluations, 1500 + 101);
  EXPECT_EQ(draws.divergent, 101);
  EXPECT_EQ(draws.theta.size(0), 600);
}

// A step far too long: the chain leaves for infinity, and ends instead of hanging.
TEST(Sgld, ExplodingSteps) {
  targets::DiagonalGaussianTarget target(vec({0}), vec({1}));
  SgldOptions options;
  options.step_size = 100;
  options.burn_in = 0;
  EXPECT_TRUE(sample_sgld(target, options, vec({0})).stopped);
}

TEST(Sgld, DrawsFollowFromTheSeedAndTheCallbackStops) {
  targets::DiagonalGaussianTarget target(vec({0, 1}), vec({1, 2}));
  SgldOptions options;
  const Draws all = sample_sgld(target, options, vec({0, 0}));
  expect_equal(sample_sgld(target, options, vec({0, 0})).theta, all.theta);
  const Draws some = sample_sgld(target, options, vec({0, 0}), [](const SamplerProgress& progress) {
    EXPECT_EQ(progress.warmup, progress.iteration <= 1000);
    return progress.iteration == 1500;
  });
  EXPECT_TRUE(some.stopped);
  expect_equal(some.theta, all.theta.narrow(0, 0, 500));
  options.seed = 1;
  EXPECT_FALSE(at::equal(sample_sgld(target, options, vec({0, 0})).theta, all.theta));
}

TEST(Sgld, BadStartsAndOptions) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t) { return Evaluation{-kInfinity, theta, 0}; });
  EXPECT_THAT(message_of(ErrorKind::kNumerical, [&] { sample_sgld(target, {}, vec({0})); }),
              testing::HasSubstr("sgld: log density or score is not finite at the start"));
  SgldOptions options;
  options.burn_in = options.steps;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { validate(options); }),
            "sgld.burn_in: got 10000, expected at least 0 and below sgld.steps");
  EXPECT_EQ(bytes_needed(SgldOptions{}, 10), 2 * 8 * 9000 * 10);
}

}  // namespace
}  // namespace scorevi::test
