#include "scorevi/inference/convergence.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "scorevi/inference/log_weights.h"
#include "scorevi/inference/run_engine.h"
#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

targets::DiagonalGaussianTarget standard(int64_t dim) {
  return targets::DiagonalGaussianTarget(at::zeros({dim}, at::kDouble), at::ones({dim}, at::kDouble));
}

DiagonalGaussian gaussian(double mean, double std) { return DiagonalGaussian::from_mean(vec({mean}), std); }

// ELBO of N(m, s^2) for N(0, 1): -(s^2 + m^2 - 1 - 2 log s) / 2.
TEST(LogWeights, ElboWithinItsError) {
  targets::DiagonalGaussianTarget target = standard(1);
  const ElboEstimate elbo = elbo_of(log_weights(target, gaussian(0.5, 2), {}, 4000));
  const double exact = -0.5 * (4 + 0.25 - 1 - 2 * std::log(2.0));
  EXPECT_LT(std::abs(elbo.value - exact), 4.5 * elbo.standard_error);
  // log pi - log q = const - x z - 3/2 z^2 - ... : variance (0.5 * 2)^2 + 2 (3/2)^2.
  EXPECT_NEAR(elbo.standard_error, std::sqrt(5.5 / 4000), 0.1 * std::sqrt(5.5 / 4000));
}

TEST(LogWeights, ThePriorIsIncludedAndDrawsAreThoseOfQ) {
  targets::DiagonalGaussianTarget target(vec({1}), vec({3}));
  target.set_prior(0.5);
  const DiagonalGaussian q = gaussian(0.2, 0.3);
  const kernels::NoiseKey key{9, 4, 2, Purpose::kEngine};
  const at::Tensor weights = log_weights(target, q, key, 3);
  kernels::NoiseKey second = key;
  second.sample = 3;
  at::Tensor theta = vec({0});
  q.sample(second, theta);
  const double x = theta.item<double>(), log_two_pi = std::log(2 * std::acos(-1.0));
  const double log_pi = 0.5 * std::log(3.0) - 1.5 * (x - 1) * (x - 1) + std::log(2.0) - 2 * x * x - log_two_pi;
  EXPECT_NEAR(weights[1].item<double>(), log_pi - q.log_prob(theta).item<double>(), 1e-13);
  EXPECT_TRUE(std::isnan(elbo_of(weights.narrow(0, 0, 1)).standard_error));
}

struct Fitted {
  RunSummary summary;
  int64_t looks, evaluations;
  Verdict verdict;
  DiagonalGaussian q;
};

Fitted fit(LogDensity& target, double lr, const ConvergenceOptions& options, int64_t steps) {
  Convergence convergence(options);
  DiagonalGaussian q = DiagonalGaussian::from_mean(at::full({target.dim()}, 3.0, at::kDouble), 0.2);
  Advi engine(AdviOptions{}, adam(lr), target.layout(), q.mean());
  LoopOptions run;
  run.steps = steps;
  run.convergence = &convergence;
  const RunSummary summary = run_engine(engine, target, q, run);
  return {summary, static_cast<int64_t>(convergence.looks().size()), convergence.evaluations(), convergence.verdict(),
          q};
}

TEST(Convergence, AStandardNormalConverges) {
  targets::DiagonalGaussianTarget target = standard(5);
  ConvergenceOptions options;
  options.stop = true;
  const Fitted run = fit(target, /*lr=*/0.02, options, 20000);
  EXPECT_EQ(run.summary.termination, Termination::kConverged) << run.summary.message;
  EXPECT_THAT(run.summary.message, testing::StartsWith("converged after "));
  EXPECT_LT(run.summary.steps, 5000);
  EXPECT_EQ(run.looks, run.summary.steps / 100);
  EXPECT_EQ(run.evaluations, 50 * run.looks);
  EXPECT_LT(run.q.mean().abs().max().item<double>(), 0.3);  // not on the way from 3
}

TEST(Convergence, OffByDefault) {
  targets::DiagonalGaussianTarget target = standard(5);
  const Fitted run = fit(target, /*lr=*/0.02, {}, 5000);
  EXPECT_EQ(run.summary.termination, Termination::kMaxSteps);
  EXPECT_EQ(run.summary.steps, 5000);
  EXPECT_EQ(run.verdict, Verdict::kConverged);
}

// A run that creeps has not converged, however small its steps.
TEST(Convergence, CreepingIsNotConvergence) {
  targets::DiagonalGaussianTarget target = standard(5);
  ConvergenceOptions options;
  options.stop = true;
  const Fitted run = fit(target, /*lr=*/2e-4, options, 8000);
  EXPECT_EQ(run.summary.termination, Termination::kMaxSteps);
  EXPECT_EQ(run.verdict, Verdict::kUndecided);
}

// Steps a judge by hand: q moves as `where` says.
struct Judged {
  targets::DiagonalGaussianTarget target = standard(1);
  Convergence convergence;
  DiagonalGaussian q = gaussian(0, 1);

  explicit Judged(const ConvergenceOptions& options) : convergence(options) {}
  bool step(int64_t step, double mean, double gradient_norm = 1) {
    q.mean().fill_(mean);
    StepStats stats;
    stats.gradient_norm = gradient_norm;
    return convergence.after_step(target, q, info_of(step), stats);
  }
};

ConvergenceOptions every_step() {
  ConvergenceOptions options;
  options.stop = true;
  options.every = 1;
  return options;
}

TEST(Convergence, TheBestIterateIsKept) {
  Judged judged(every_step());
  EXPECT_EQ(judged.convergence.best_step(), -1);
  for (int64_t step = 0; step < 9; ++step) judged.step(step, std::abs(static_cast<double>(step) - 5) + 1);
  EXPECT_EQ(judged.convergence.best_step(), 6);
  EXPECT_EQ(judged.q.mean().item<double>(), 4);
  judged.convergence.restore_best(judged.q);
  EXPECT_EQ(judged.q.mean().item<double>(), 1);
}

// The mean of looks, and the larger of their own error and their spread.
TEST(Convergence, MovingElbo) {
  Judged judged(every_step());
  for (int64_t step = 0; step < 4; ++step) judged.step(step, 0);
  EXPECT_TRUE(std::isnan(judged.convergence.moving().elbo));
  for (int64_t step = 4; step < 9; ++step) judged.step(step, static_cast<double>(step % 2), /*gradient_norm=*/step);
  const ConvergenceLook moving = judged.convergence.moving();
  double sum = 0, squares = 0;
  for (size_t i = 4; i < 9; ++i) sum += judged.convergence.looks()[i].elbo / 5;
  for (size_t i = 4; i < 9; ++i) squares += std::pow(judged.convergence.looks()[i].elbo - sum, 2);
  EXPECT_NEAR(moving.elbo, sum, 1e-14);
  EXPECT_NEAR(moving.standard_error, std::sqrt(squares / 20), 1e-14);
  EXPECT_NEAR(moving.gradient_norm, 6, 1e-14);
  EXPECT_EQ(moving.step, 9);
}

// q = pi: every look is exact, and two windows of 5 are enough; unless the gradient is asked for.
TEST(Convergence, GradientNorm) {
  for (const double tolerance : {0.0, 0.5, 2.0}) {
    ConvergenceOptions options = every_step();
    options.gradient_tolerance = tolerance;
    Judged judged(options);
    for (int64_t step = 0; step < 9; ++step) EXPECT_FALSE(judged.step(step, 0));
    EXPECT_EQ(judged.step(9, 0), tolerance != 0.5);
    EXPECT_EQ(judged.convergence.verdict() == Verdict::kConverged, tolerance != 0.5);
  }
}

TEST(Convergence, AnElboThatIsNotFiniteIsDivergence) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t evaluation) {
    return Evaluation{evaluation < 150 ? 0.0 : std::nan(""), theta, 0};
  });
  Convergence convergence(every_step());
  const DiagonalGaussian q = gaussian(0, 1);
  for (int64_t step = 0; step < 7; ++step) EXPECT_FALSE(convergence.after_step(target, q, info_of(step), {}));
  EXPECT_TRUE(convergence.after_step(target, q, info_of(7), {}));
  EXPECT_EQ(convergence.verdict(), Verdict::kDiverged);
  EXPECT_LE(convergence.best_step(), 3);
}

TEST(Convergence, BadOptions) {
  ConvergenceOptions options;
  options.samples = 1;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { Convergence{options}; }),
            "convergence.samples: got 1, expected at least 2");
}

}  // namespace
}  // namespace scorevi::test
