#include "scorevi/inference/find_mode.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "scorevi/targets/gaussian.h"
#include "scorevi/targets/logistic_regression.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

const double kInfinity = std::numeric_limits<double>::infinity();

// One variable.
FunctionTarget scalar(std::function<std::pair<double, double>(double)> density_and_slope) {
  return FunctionTarget(vec({0}), [density_and_slope](const at::Tensor& theta, int64_t) {
    const auto [density, slope] = density_and_slope(theta[0].item<double>());
    return Evaluation{density, vec({slope}), 0};
  });
}

// Gamma(2, 1), mode 1; `outside` at x <= 0.
FunctionTarget gamma(double outside) {
  return scalar([outside](double x) {
    return x > 0 ? std::pair{std::log(x) - x, 1 / x - 1} : std::pair{outside, outside};
  });
}

TEST(FindMode, GaussianOfAnyScale) {
  for (const double condition : {1.0, 1e4}) {
    const at::Tensor mean = at::linspace(-3, 5, 20, at::kDouble);
    const at::Tensor precision = at::logspace(0, std::log10(condition), 20, 10, at::kDouble);
    targets::GaussianTarget target(mean, at::diag(precision));
    const Mode mode = find_mode(target, at::zeros({20}, at::kDouble));
    EXPECT_EQ(mode.outcome, ModeOutcome::kConverged);
    EXPECT_LT(((mode.theta - mean) * precision.sqrt()).norm().item<double>(), 1e-4);
    EXPECT_NEAR(mode.log_density, 0, 1e-8);
    EXPECT_LT(mode.evaluations, condition == 1 ? 8 : 400);
  }
}

TEST(FindMode, Rosenbrock) {
  FunctionTarget target(vec({0, 0}), [](const at::Tensor& theta, int64_t) {
    const double x = theta[0].item<double>(), r = theta[1].item<double>() - x * x;
    return Evaluation{-100 * r * r - (1 - x) * (1 - x), vec({400 * x * r + 2 * (1 - x), -200 * r}), 0};
  });
  const Mode mode = find_mode(target, vec({-1.2, 1}));
  EXPECT_EQ(mode.outcome, ModeOutcome::kConverged);
  expect_near(mode.theta, vec({1, 1}), 1e-5);
  EXPECT_LT(mode.evaluations, 100);
  EXPECT_EQ(mode.evaluations, target.evaluations);
}

// Hills as far apart as the first step is long: a gentle slope on the next hill down is no progress.
TEST(FindMode, NeverGoesDown) {
  const double turn = 2 * std::acos(-1.0);
  FunctionTarget hills = scalar([turn](double x) {
    return std::pair{10 * std::cos(turn * x) - 5 * x * x, -10 * turn * std::sin(turn * x) - 10 * x};
  });
  for (double start = -3; start < 3; start += 0.1) {
    double before = hills.evaluate(vec({start})).log_density;
    find_mode(hills, vec({start}), {}, [&](const ModeProgress& progress) {
      EXPECT_GE(progress.log_density, before - 1e-12) << start;
      before = progress.log_density;
      return false;
    });
  }
}

// The mode of the posterior, not of the likelihood: score + prior score = 0.
TEST(FindMode, PriorIsPartOfTheTarget) {
  const at::Tensor x = vec({1, 2, -1, 0.5, 3, -2, 0, 1}).view({4, 2}), y = vec({1, 1, 1, 0});
  targets::LogisticRegression target(x, y);
  target.set_prior(2.0);
  const Mode mode = find_mode(target, at::zeros({3}, at::kDouble));
  EXPECT_EQ(mode.outcome, ModeOutcome::kConverged);
  const at::Tensor score = target.evaluate(mode.theta).score;
  EXPECT_LT((score - mode.theta / 4).norm().item<double>(), 1e-5);
  EXPECT_NEAR(mode.gradient_norm, (score - mode.theta / 4).norm().item<double>(), 1e-14);
}

TEST(FindMode, WallsAreTooFar) {
  for (const double outside : {-kInfinity, kInfinity, std::nan("")}) {
    for (const double start : {1e-6, 0.3, 30.0}) {
      FunctionTarget target = gamma(outside);
      const Mode mode = find_mode(target, vec({start}));
      EXPECT_EQ(mode.outcome, ModeOutcome::kConverged) << start;
      EXPECT_NEAR(mode.theta[0].item<double>(), 1, 1e-5) << start;
    }
  }
}

TEST(FindMode, StartsAtTheMode) {
  FunctionTarget target = gamma(-kInfinity);
  const Mode mode = find_mode(target, vec({1}));
  EXPECT_EQ(mode.outcome, ModeOutcome::kConverged);
  EXPECT_EQ(mode.evaluations, 1);
}

TEST(FindMode, EndsThatAreNoMode) {
  FunctionTarget line = scalar([](double x) { return std::pair{x, 1.0}; });
  EXPECT_EQ(find_mode(line, vec({0})).outcome, ModeOutcome::kUnbounded);
  FunctionTarget logarithm = scalar([](double x) { return std::pair{std::log(x), 1 / x}; });
  EXPECT_EQ(find_mode(logarithm, vec({1})).outcome, ModeOutcome::kUnbounded);
  FunctionTarget lying = scalar([](double x) { return std::pair{-x * x, 2 * x + 1}; });
  EXPECT_EQ(find_mode(lying, vec({3})).outcome, ModeOutcome::kStalled);
}

// The best point so far is given back.
TEST(FindMode, MaxIterations) {
  targets::DiagonalGaussianTarget target(vec({1, 2, 3}), vec({1, 50, 1e4}));
  FindModeOptions options;
  options.max_iterations = 2;
  const Mode mode = find_mode(target, vec({0, 0, 0}), options);
  EXPECT_EQ(mode.outcome, ModeOutcome::kMaxIterations);
  EXPECT_EQ(mode.iterations, 2);
  EXPECT_EQ(mode.log_density, target.evaluate(mode.theta).log_density);
  EXPECT_GT(mode.log_density, target.evaluate(vec({0, 0, 0})).log_density);
}

TEST(FindMode, TheCallbackStops) {
  targets::DiagonalGaussianTarget target(vec({1, 2, 3}), vec({1, 50, 1e4}));
  const Mode mode = find_mode(target, vec({0, 0, 0}), {}, [](const ModeProgress& progress) {
    EXPECT_GE(progress.evaluations, progress.iteration);
    return progress.iteration == 2;
  });
  EXPECT_EQ(mode.outcome, ModeOutcome::kStopped);
}

TEST(FindMode, BadStartsAndOptions) {
  FunctionTarget target = gamma(std::nan(""));
  EXPECT_THAT(message_of(ErrorKind::kNumerical, [&] { find_mode(target, vec({-1})); }),
              testing::HasSubstr("find_mode: log density or score is not finite at the start"));
  FindModeOptions options;
  options.memory = 0;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { validate(options); }), "find_mode.memory: got 0, expected 1 to 1000");
}

}  // namespace
}  // namespace scorevi::test
