#include "scorevi/inference/nuts.h"

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

// Means and standard deviations within 4.5 standard errors: one coordinate in 150,000 misses by chance.
void expect_moments(const Draws& draws, const at::Tensor& mean, const at::Tensor& sd) {
  const GaussianFit fit = gaussian_fit(draws, GaussianForm::kDiagonal);
  EXPECT_LT(((fit.mean - mean) / draws.mean_error).abs().max().item<double>(), 4.5) << fit.mean;
  EXPECT_LT(((fit.covariance.sqrt() - sd) / draws.sd_error).abs().max().item<double>(), 4.5) << fit.covariance.sqrt();
  EXPECT_LT(draws.rhat.max().item<double>(), 1.02);
}

// N(m, S) with S_ij = s_i s_j 0.8^|i - j|.
struct Correlated {
  at::Tensor mean = vec({1.0, -2.0, 0.0, 30.0}), sd = vec({1.0, 0.1, 5.0, 2.0}), covariance, precision;
  Correlated() {
    covariance = at::empty({4, 4}, at::kDouble);
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 4; ++j) covariance[i][j] = sd[i] * sd[j] * std::pow(0.8, std::abs(i - j));
    precision = covariance.inverse();
  }
};

TEST(Nuts, CorrelatedGaussianWithEveryMassMatrix) {
  const Correlated known;
  std::vector<int64_t> evaluations;
  for (const MassMatrix mass : {MassMatrix::kIdentity, MassMatrix::kDiagonal, MassMatrix::kDense}) {
    SCOPED_TRACE(static_cast<int>(mass));
    targets::GaussianTarget target(known.mean, known.precision);
    NutsOptions options;
    options.mass = mass;
    options.chains = 2;
    options.warmup = 500;
    const Draws draws = sample_nuts(target, options, known.mean);
    ASSERT_EQ(draws.theta.sizes(), at::IntArrayRef({2000, 4}));
    expect_moments(draws, known.mean, known.sd);
    EXPECT_EQ(draws.divergent, 0);
    EXPECT_GT(draws.accept, 0.75);  // at the averaged step size it ends above 0.8
    EXPECT_LT(draws.accept, 0.96);
    EXPECT_NEAR(draws.log_density[77].item<double>(), target.evaluate(draws.theta[77]).log_density, 1e-12);
    evaluations.push_back(draws.evaluations);
  }
  EXPECT_LT(evaluations[1], evaluations[0] / 2);  // scales from 0.1 to 5
  EXPECT_LT(evaluations[2], evaluations[1]);      // correlations of 0.8
}

TEST(Nuts, FullCovariance) {
  const Correlated known;
  targets::GaussianTarget target(known.mean, known.precision);
  NutsOptions options;
  options.mass = MassMatrix::kDense;
  options.draws = 3000;
  const GaussianFit fit = gaussian_fit(sample_nuts(target, options, known.mean), GaussianForm::kFull);
  // About 10,000 independent draws: a correlation has a standard error of 0.01 or less.
  const at::Tensor scale = known.sd.unsqueeze(1) * known.sd;
  EXPECT_LT(((fit.covariance - known.covariance) / scale).abs().max().item<double>(), 0.06);
}

// Heavy tails: 10 degrees of freedom, D = 3. Variance 10 / 8; P(theta_1 < 1.3721836) = 0.9.
TEST(Nuts, StudentT) {
  FunctionTarget target(vec({0, 0, 0}), [](const at::Tensor& theta, int64_t) {
    const double square = theta.square().sum().item<double>();
    return Evaluation{-6.5 * std::log1p(square / 10), -13 * theta / (10 + square), 0};
  });
  const Draws draws = sample_nuts(target, {}, vec({0, 0, 0}));
  expect_moments(draws, vec({0, 0, 0}), at::full({3}, std::sqrt(1.25), at::kDouble));
  const at::Tensor below = draws.theta.lt(1.3721836411).to(at::kDouble).mean(0);
  EXPECT_LT((below - 0.9).abs().max().item<double>(), 4.5 * 0.3 / std::sqrt(draws.ess.min().item<double>()));
  EXPECT_EQ(draws.evaluations, target.evaluations);
}

// x ~ N(0, 1), y | x ~ N(x^2, 0.3^2): mean of y 1, variance 2 + 0.09.
TEST(Nuts, Banana) {
  FunctionTarget target(vec({0, 0}), [](const at::Tensor& theta, int64_t) {
    const double x = theta[0].item<double>(), r = (theta[1].item<double>() - x * x) / 0.3;
    return Evaluation{-0.5 * (x * x + r * r), vec({-x + 2 * x * r / 0.3, -r / 0.3}), 0};
  });
  NutsOptions options;
  options.target_accept = 0.9;
  options.draws = 2000;
  const Draws draws = sample_nuts(target, options, vec({0, 0}));
  expect_moments(draws, vec({0, 1}), vec({1, std::sqrt(2.09)}));
}

// Exactness beyond means: exact draws of a skewed density stay exact under moves with any step size. Gumbel: mean
// 0.5772, variance pi^2 / 6, third central moment 2.4041; log densities average -1.5772.
TEST(Nuts, MovesLeaveTheTargetAlone) {
  FunctionTarget target(vec({0, 0}), [](const at::Tensor& theta, int64_t) {
    return Evaluation{-(theta + theta.neg().exp()).sum().item<double>(), theta.neg().exp() - 1, 0};
  });
  const int64_t chains = 8000;
  at::Tensor start = at::empty({chains, 2}, at::kDouble);
  const CounterRng rng(5, Purpose::kTest);
  for (int64_t i = 0; i < 2 * chains; ++i)
    start.data_ptr<double>()[i] = -std::log(-std::log(rng.uniform(static_cast<uint64_t>(i))));
  for (const double step_size : {0.4, 1.2}) {
    SCOPED_TRACE(step_size);
    NutsOptions options;
    options.chains = chains;
    options.warmup = 0;
    options.draws = 2;
    options.step_size = step_size;
    const Draws draws = sample_nuts(target, options, start);
    EXPECT_GT((draws.theta.view({chains, 2, 2}).select(1, 1) - start).ne(0).to(at::kDouble).mean().item<double>(), 0.6);
    const at::Tensor last = draws.theta.view({chains, 2, 2}).select(1, 1), centred = last - 0.5772156649;
    const auto expect_mean = [](const at::Tensor& values, double expected) {
      const double n = static_cast<double>(values.numel());
      EXPECT_NEAR(values.mean().item<double>(), expected, 4.5 * values.std().item<double>() / std::sqrt(n));
    };
    expect_mean(last, 0.5772156649);
    expect_mean(centred.square(), 1.6449340668);
    expect_mean(centred.pow(3), 2.4041138063);
    expect_mean(-(last + last.neg().exp()), -1.5772156649);
  }
}

// The leapfrog is of second order: steps of 1/100 of the scale lose about 1e-5 nats, however long the trajectory.
TEST(Nuts, SmallStepsKeepTheEnergy) {
  targets::DiagonalGaussianTarget target(vec({0, 0}), vec({1, 0.5}));
  NutsOptions options;
  options.warmup = 0;
  options.draws = 20;
  options.step_size = 0.01;
  EXPECT_GT(sample_nuts(target, options, vec({1, 1})).accept, 0.9999);
}

// A wall (-inf), and a density that is not a number beyond it: N(0, 1) cut at 0.
TEST(Nuts, WallsEndTrajectories) {
  for (const double outside : {-kInfinity, std::nan(""), kInfinity}) {
    SCOPED_TRACE(outside);
    FunctionTarget target(vec({0}), [outside](const at::Tensor& theta, int64_t) {
      const double x = theta[0].item<double>();
      return Evaluation{x > 0 ? -0.5 * x * x : outside, -theta, 0};
    });
    const Draws draws = sample_nuts(target, {}, vec({1}));
    EXPECT_GT(draws.theta.min().item<double>(), 0);
    EXPECT_GT(draws.divergent, 0);
    const double half_normal = std::sqrt(2 / std::acos(-1.0));
    expect_moments(draws, vec({half_normal}), vec({std::sqrt(1 - half_normal * half_normal)}));
  }
}

TEST(Nuts, ScoresThatAreNotNumbersEndTrajectories) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t) {
    const double x = theta[0].item<double>();
    return Evaluation{-0.5 * x * x, std::abs(x) < 1 ? -theta : theta * std::nan(""), 0};
  });
  NutsOptions options;
  options.start_spread = 0.5;
  const Draws draws = sample_nuts(target, options, vec({0}));
  EXPECT_LT(draws.theta.abs().max().item<double>(), 1);
  EXPECT_GT(draws.divergent, 0);
}

// Flat likelihood: the posterior is the prior.
TEST(Nuts, PriorIsPartOfTheTarget) {
  FunctionTarget target(vec({0, 0}), [](const at::Tensor& theta, int64_t) {
    return Evaluation{0, at::zeros_like(theta), 0};
  });
  target.has_prior = true;
  target.gaussian_prior.mean = vec({3, -1});
  target.gaussian_prior.groups.resize(2);
  target.gaussian_prior.groups[0] = {{0, 1}, 0.2};
  target.gaussian_prior.groups[1] = {{1, 2}, 2.0};
  const Draws draws = sample_nuts(target, {}, vec({0, 0}));
  expect_moments(draws, vec({3, -1}), vec({0.2, 2}));
  const at::Tensor z = (draws.theta[5] - vec({3, -1})) / vec({0.2, 2});
  const double expected = -0.5 * z.square().sum().item<double>() - std::log(0.4 * 2 * std::acos(-1.0));
  EXPECT_NEAR(draws.log_density[5].item<double>(), expected, 1e-12);
}

TEST(Nuts, DrawsFollowFromSeedAndChain) {
  const Correlated known;
  targets::GaussianTarget target(known.mean, known.precision);
  NutsOptions options;
  options.warmup = options.draws = 100;
  const Draws four = sample_nuts(target, options, known.mean);
  expect_equal(sample_nuts(target, options, known.mean).theta, four.theta);
  options.chains = 2;
  expect_equal(sample_nuts(target, options, known.mean).theta, four.theta.narrow(0, 0, 200));
  options.seed = 1;
  EXPECT_FALSE(at::equal(sample_nuts(target, options, known.mean).theta, four.theta.narrow(0, 0, 200)));
  expect_equal(four.chain, at::tensor({0, 1, 2, 3}, at::kLong).repeat_interleave(100));
}

TEST(Nuts, TheCallbackStops) {
  const Correlated known;
  targets::GaussianTarget target(known.mean, known.precision);
  NutsOptions options;
  options.warmup = 50;
  options.draws = 100;
  const auto stopped_after = [&](int64_t iterations) {
    return sample_nuts(target, options, known.mean, [iterations](const SamplerProgress& progress) {
      EXPECT_EQ(progress.iterations, 150);
      EXPECT_EQ(progress.warmup, progress.iteration <= 50);
      EXPECT_GT(progress.step_size, 0);
      return progress.iteration == iterations;
    });
  };
  const Draws some = stopped_after(80), none = stopped_after(20), all = stopped_after(150);
  EXPECT_TRUE(some.stopped);
  EXPECT_FALSE(all.stopped);
  ASSERT_EQ(some.theta.size(0), 4 * 30);
  EXPECT_EQ(none.theta.size(0), 0);
  for (int64_t chain = 0; chain < 4; ++chain)
    expect_equal(some.theta.narrow(0, chain * 30, 30), all.theta.narrow(0, chain * 100, 30));
}

TEST(Nuts, TheTargetAcceptanceSetsTheStepSize) {
  const Correlated known;
  targets::GaussianTarget target(known.mean, known.precision);
  double accept = 0, step_size = kInfinity;
  for (const double wanted : {0.5, 0.8, 0.95}) {
    NutsOptions options;
    options.target_accept = wanted;
    options.chains = 2;
    const Draws draws = sample_nuts(target, options, known.mean);
    EXPECT_GT(draws.accept, std::max(wanted - 0.05, accept));
    EXPECT_LT(draws.step_size, step_size);
    accept = draws.accept;
    step_size = draws.step_size;
  }
}

TEST(Nuts, AtDepthLimit) {
  const Correlated known;
  targets::GaussianTarget target(known.mean, known.precision);
  NutsOptions options;
  options.max_depth = 1;
  options.warmup = 0;
  options.step_size = 1e-3;
  EXPECT_EQ(sample_nuts(target, options, known.mean).at_depth_limit, 4000);
}

TEST(Nuts, BadStartsAndOptions) {
  FunctionTarget nowhere(vec({0}), [](const at::Tensor& theta, int64_t) { return Evaluation{-kInfinity, theta, 0}; });
  const ThrownError error = error_of([&] { sample_nuts(nowhere, {}, vec({0})); });
  EXPECT_EQ(error.kind, ErrorKind::kNumerical);
  EXPECT_THAT(error.message, testing::HasSubstr("nuts: chain 0: log density or score is not finite at the start"));
  NutsOptions options;
  options.target_accept = 1;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { validate(options); }),
            "nuts.target_accept: got 1, expected above 0 and below 1");
  options = {};
  options.chains = 0;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { validate(options); }), "nuts.chains: got 0, expected 1 to 10000");
}

TEST(Nuts, MemoryNeeded) {
  NutsOptions options;
  EXPECT_EQ(bytes_needed(options, 10), 8 * 4 * 1000 * 10);
  options.mass = MassMatrix::kDense;
  EXPECT_EQ(bytes_needed(options, 100), 8 * 100 * (4 * 1000 + (3 * 4 + 4) * 100));
}

}  // namespace
}  // namespace scorevi::test
