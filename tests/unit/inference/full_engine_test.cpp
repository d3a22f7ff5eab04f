// The engines of a full Gaussian: evaluations to a known target, priors, what they report, limits and options.
#include <cmath>

#include <gmock/gmock.h>

#include "scorevi/inference/bam.h"
#include "scorevi/inference/gsm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/run_engine.h"
#include "unit/inference/full_tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

// Evaluations until KL(target || q) is below 1e-6 from N(0, I), on a random Gaussian of condition about 3e3.
int64_t evaluations_needed(Engine& engine, int64_t per_step, int64_t limit) {
  const at::Tensor a = numbers({16, 16}, 7), mean = numbers({16}, 8).abs();
  const at::Tensor covariance = a.matmul(a.t()) + at::eye(16, at::kDouble) * 0.01;
  targets::GaussianTarget target(mean, at::linalg_inv(covariance));
  FullGaussian q = FullGaussian::from_mean(at::zeros({16}, at::kDouble), 1);
  for (int64_t step = 0; step * per_step < limit; ++step) {
    EXPECT_EQ(engine.step(target, q, info_of(step)).status, StepStatus::kOk);
    if (kl_of(mean, covariance, q) < 1e-6) return (step + 1) * per_step;
  }
  return limit;
}

// Reference runs of the two papers' algorithms needed 292 (gsm, B = 2), 184 (bam, B = 2) and 75 (bam, B = 15)
// evaluations at D = 16, medians of 5 random targets.
TEST(Engines, ReachAGaussianTargetInAsManyEvaluationsAsExpected) {
  Gsm gsm(GaussianOptions{2});
  const int64_t by_gsm = evaluations_needed(gsm, 2, 2000);
  EXPECT_GT(by_gsm, 292 / 3);
  EXPECT_LT(by_gsm, 292 * 3);
  BamOptions options;
  options.schedule = LambdaSchedule::kConstant;
  options.samples = 2;
  Bam small(options);
  EXPECT_LT(evaluations_needed(small, 2, 2000), 184 * 3);
  options.samples = 15;
  Bam large(options);
  EXPECT_LT(evaluations_needed(large, 15, 2000), 75 * 3);
}

TEST(Engines, TakeThePriorAsPartOfTheTarget) {
  // N(mean, S) with a prior N(0.5, 0.8^2) on the first two coordinates, against the same density written as one.
  const at::Tensor precision = at::linalg_inv(random_covariance(3, 5)), mean = vec({1.0, 0.0, -1.0});
  targets::GaussianTarget with_prior(mean, precision);
  GaussianPrior prior;
  prior.groups = {{{0, 2}, 0.8}, {{2, 3}, std::numeric_limits<double>::infinity()}};
  prior.mean = vec({0.5, 0.5, 9.0});
  with_prior.set_prior(prior);
  const at::Tensor added = at::diag(vec({1.0, 1.0, 0.0})) / 0.64, total = precision + added;
  targets::GaussianTarget whole(at::linalg_solve(total, precision.mv(mean) + added.mv(prior.mean)), total);
  BamOptions bam;
  bam.samples = 5;
  ClosedFormOptions closed_form;
  closed_form.samples = 5;
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(std::make_unique<Gsm>(GaussianOptions{5}));
  engines.push_back(std::make_unique<Bam>(bam));
  engines.push_back(std::make_unique<ClosedFormFull>(closed_form));
  for (const auto& engine : engines) {
    FullGaussian a = FullGaussian::from_mean(at::zeros({3}, at::kDouble), 1), b = copy(a);
    for (int64_t step = 0; step < 4; ++step) {
      engine->step(with_prior, a, info_of(step));
      engine->step(whole, b, info_of(step));
    }
    expect_near(a.mean(), b.mean(), 1e-9);
    expect_near(a.factor(), b.factor(), 1e-9);
  }
}

TEST(Engines, ReportTheNegativeElboOfQBeforeTheStep) {
  const FullGaussian start = gaussian_of(vec({0.3, -0.2}), mat(Json({{1.5, 0.4}, {0.4, 0.8}})));
  FunctionTarget target(start.mean(), [](const at::Tensor& theta, int64_t) { return Evaluation{-3.0, -theta, 0}; });
  target.scale = 0.5;
  target.has_prior = true;
  target.gaussian_prior.groups = {{{0, 1}, 2.0}, {{1, 2}, std::numeric_limits<double>::infinity()}};
  target.gaussian_prior.mean = vec({1.0, 7.0});
  FullGaussian q = copy(start);
  const StepStats stats = Gsm(GaussianOptions{3}).step(target, q, info_of(0));
  // E log N(theta_1; 1, 4) under q, and the entropy.
  const double cross = -std::log(2) - 0.5 * std::log(2 * std::acos(-1.0)) - (1.5 + 0.7 * 0.7) / 8;
  EXPECT_NEAR(stats.kl, -start.entropy() - cross, 1e-12);
  EXPECT_NEAR(stats.loss, 0.5 * (stats.kl + 3), 1e-12);
  EXPECT_EQ(stats.evaluations, 3);
  EXPECT_NEAR(stats.sigma_max, q.standard_deviations().max().item<double>(), 1e-15);
  EXPECT_NEAR(stats.sigma_min, q.standard_deviations().min().item<double>(), 1e-15);
}

TEST(Engines, ABadUpdateIsUndoneAndCounted) {
  // Finite scores that no double covariance can follow.
  FunctionTarget target(at::zeros({3}, at::kDouble), [](const at::Tensor& theta, int64_t evaluation) {
    return Evaluation{0.0, evaluation < 2 ? theta * -1e200 : -theta, 0};
  });
  FullGaussian q = FullGaussian::from_mean(at::ones({3}, at::kDouble), 2);
  const FullGaussian before = copy(q);
  Gsm engine(GaussianOptions{2});
  const StepStats stats = engine.step(target, q, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kBadUpdate);
  EXPECT_EQ(stats.evaluations, 2);
  expect_equal(q.mean(), before.mean());
  expect_equal(q.factor(), before.factor());
  EXPECT_EQ(describe_trouble(stats, target.layout()), "the update left no positive definite covariance and was undone");

  target.evaluations = 0;
  LoopOptions options;
  options.steps = 5;
  options.max_nonfinite_steps = 1;
  const RunSummary summary = run_engine(engine, target, q, options);
  EXPECT_EQ(summary.termination, Termination::kMaxSteps);
  EXPECT_EQ(summary.refused_steps, 1);
  EXPECT_EQ(summary.evaluations, 10);
}

// The target is N(0, 9 I).
TEST(FullLimits, MarginalSigmaOutsideEndsTheRunAndIsNamed) {
  for (const double limit : {2.0, 5.0}) {
    targets::DiagonalGaussianTarget target(at::zeros({3}, at::kDouble), at::full({3}, 1 / 9.0, at::kDouble));
    FullGaussian q = FullGaussian::from_mean(at::zeros({3}, at::kDouble), 1.0);
    GaussianOptions options{8};
    options.max_log_std = std::log(limit);
    LoopOptions loop;
    loop.steps = 50;
    Gsm engine(options);
    const RunSummary summary = run_engine(engine, target, q, loop);
    EXPECT_EQ(summary.termination, limit < 3 ? Termination::kDiverged : Termination::kMaxSteps);
    const std::string expected = limit < 3 ? "sigma left its limits at theta[" : "made 50 steps";
    EXPECT_THAT(summary.message, testing::HasSubstr(expected));
  }
}

TEST(Options, OutOfRangeValuesOfFullMethodsAreNamed) {
  EXPECT_EQ(message_of(ErrorKind::kUsage, [] { Gsm(GaussianOptions{0}); }),
            "method.samples: got 0, expected at least 1");
  BamOptions bam;
  bam.lambda = -1;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { Bam{bam}; }),
            "method.lambda: got -1, expected above 0, or 0 for the default");
  bam.lambda = 1;
  bam.jitter = -1;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { Bam{bam}; }), "method.jitter: got -1, expected at least 0");
  ClosedFormOptions closed_form;
  closed_form.mean_update = MeanUpdate::kOptimizer;
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { ClosedFormFull{closed_form}; }),
            "method.mean_update: got optimizer, expected newton with posterior.family full_gaussian");
}

}  // namespace
}  // namespace scorevi::test
