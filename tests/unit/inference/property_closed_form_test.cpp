// Properties 3 and 4: the exact contraction of the closed-form solver, and the fixed points of all methods.
#include <cmath>

#include "scorevi/inference/run_engine.h"
#include "scorevi/targets/gaussian.h"
#include "unit/inference/expectation_target.h"

namespace scorevi::test {
namespace {

using namespace inference;

ClosedFormOptions exact_solution(double alpha, bool corrected) {
  ClosedFormOptions options;
  options.beta = 1 / (1 + alpha);
  options.mean_step = options.beta;
  options.average_decay = 0;
  options.corrected = corrected;
  options.samples = 2;
  return options;
}

DiagonalGaussian golden_start(const Json& golden) {
  return DiagonalGaussian(vec(golden["m0"]), vec(golden["Lambda0"]).log() * -0.5);
}

at::Tensor lambda_of(const DiagonalGaussian& q) { return (q.log_std() * -2).exp(); }

void expect_iterates(const Json& golden, const at::Tensor& precision, const ClosedFormOptions& options,
                     const Json& iterates) {
  DiagonalGaussian q = golden_start(golden);
  ExpectationTarget exact(q, vec(golden["target_mean"]), precision);
  ClosedForm engine(options, {}, exact.target().layout(), q.mean());
  for (size_t t = 0; t < iterates.size(); ++t) {
    const StepStats stats = engine.step(exact.target(), q, info_of(static_cast<int64_t>(t)));
    EXPECT_EQ(stats.status, StepStatus::kOk);
    expect_near(q.mean(), vec(iterates[t]["m"]), 1e-10);
    expect_near(lambda_of(q), vec(iterates[t]["Lambda"]), 1e-10);
  }
}

TEST(Property3, GoldenIteratesOnADiagonalTarget) {
  const Json& golden = golden_vi()["convergence_diagonal_target"];
  const at::Tensor precision = at::diag(vec(golden["target_precision"]));
  for (const Json& run : golden["runs"]) {
    const double alpha = run["alpha"].get<double>();
    expect_iterates(golden, precision, exact_solution(alpha, /*corrected=*/false), run["plain"]);
    expect_iterates(golden, precision, exact_solution(alpha, /*corrected=*/true), run["corrected"]);
  }
}

TEST(Property3, GoldenIteratesOnACorrelatedTarget) {
  for (const Json& golden : golden_vi()["convergence_correlated_target"])
    for (const Json& run : golden["runs"])
      expect_iterates(golden, mat(golden["target_precision"]),
                      exact_solution(run["alpha"].get<double>(), /*corrected=*/false), run["iterates"]);
}

TEST(Property3, ContractionFactors) {
  const Json& golden = golden_vi()["convergence_diagonal_target"];
  const at::Tensor mu = vec(golden["target_mean"]), wanted = vec(golden["target_precision"]);
  for (const double alpha : {0.25, 1.0, 4.0}) {
    const double beta = 1 / (1 + alpha);
    DiagonalGaussian q = golden_start(golden);
    ExpectationTarget exact(q, mu, at::diag(wanted));
    ClosedForm engine(exact_solution(alpha, /*corrected=*/false), {}, exact.target().layout(), q.mean());
    for (int64_t step = 0; step < 5; ++step) {
      const at::Tensor lambda = lambda_of(q), mean = q.mean().clone();
      engine.step(exact.target(), q, info_of(step));
      expect_near((lambda_of(q) - wanted) / (lambda - wanted), at::full_like(mu, alpha / (1 + alpha)), 1e-9);
      expect_near((q.mean() - mu) / (mean - mu), 1 - beta * wanted / lambda_of(q), 1e-9);
    }
  }
  DiagonalGaussian q = golden_start(golden);
  ExpectationTarget exact(q, mu, at::diag(wanted));
  ClosedForm engine(exact_solution(/*alpha=*/0, /*corrected=*/false), {}, exact.target().layout(), q.mean());
  engine.step(exact.target(), q, info_of(0));  // alpha = 0: one step lands on the target
  expect_near(q.mean(), mu, 1e-11);
  expect_near(lambda_of(q), wanted, 1e-11);
}

TEST(Property3, WithoutTheCorrectionANegativePrecisionIsDivergence) {
  const DiagonalGaussian start(vec({0.0, 1.0}), vec({0.0, 0.0}));
  for (const bool corrected : {false, true}) {
    DiagonalGaussian q = copy(start);
    ExpectationTarget exact(q, vec({0.0, 0.0}), at::diag(vec({1.0, -3.0})));
    ClosedForm engine(exact_solution(/*alpha=*/0.5, corrected), {}, exact.target().layout(), q.mean());
    const StepStats stats = engine.step(exact.target(), q, info_of(0));
    EXPECT_EQ(stats.status, corrected ? StepStatus::kOk : StepStatus::kDiverged);
    if (!corrected) {
      EXPECT_EQ(stats.bad_index, 1);
    }
    if (corrected) {
      EXPECT_GE(lambda_of(q)[1].item<double>(), 0.5 - 1e-12);
    }
  }
}

// Property 4 without noise: m = mu, sigma_j^2 = 1 / P_jj.
void expect_fixed_point(Engine& engine, ExpectationTarget& exact, DiagonalGaussian& q, const Json& golden,
                        int64_t steps, double tolerance) {
  for (int64_t step = 0; step < steps; ++step) {
    ASSERT_EQ(engine.step(exact.target(), q, info_of(step)).status, StepStatus::kOk);
  }
  const Json& fixed = golden["fixed_point_diagonal"];
  expect_near(q.mean(), vec(fixed["m"]), tolerance);
  expect_near(q.log_std().exp(), vec(fixed["sigma"]), tolerance);
}

TEST(Property4, FixedPointsOfExactExpectations) {
  for (const Json& golden : golden_vi()["convergence_correlated_target"]) {
    const at::Tensor mu = vec(golden["target_mean"]), precision = mat(golden["target_precision"]);
    const auto run = [&](auto make, int64_t steps) {
      DiagonalGaussian q = golden_start(golden);
      ExpectationTarget exact(q, mu, precision);
      auto engine = make(exact.target().layout(), q.mean());
      expect_fixed_point(*engine, exact, q, golden, steps, 1e-8);
    };
    run(
        [](const auto& layout, const at::Tensor& like) {
          ClosedFormOptions options = exact_solution(/*alpha=*/1, /*corrected=*/true);
          return std::make_unique<ClosedForm>(options, optim::OptimizerOptions{}, layout, like);
        },
        600);
    run(
        [](const auto& layout, const at::Tensor& like) {
          ClosedFormOptions options = exact_solution(/*alpha=*/4, /*corrected=*/true);
          options.mean_update = MeanUpdate::kOptimizer;
          return std::make_unique<ClosedForm>(options, sgd(0.2), layout, like);
        },
        1500);
    run(
        [](const auto& layout, const at::Tensor& like) {
          AdviOptions options;
          options.samples = 2;
          return std::make_unique<Advi>(options, sgd(0.2), layout, like);
        },
        1500);
    run(
        [](const auto& layout, const at::Tensor& like) {
          PsmOptions options;
          options.samples = 2;
          options.norm = kernels::Norm::kCovariance;
          return std::make_unique<ProximalScoreMatching>(options, sgd(0.05), layout, like);
        },
        3000);
    run(
        [](const auto& layout, const at::Tensor& like) {
          PsmOptions options;
          options.samples = 2;
          return std::make_unique<ProximalScoreMatching>(options, sgd(0.03), layout, like);
        },
        6000);
  }
}

// Property 4 with drawn noise: every method ends at the same place, the gradient's noise aside.
void expect_noisy_fixed_point(Engine& engine, const Json& golden, double tolerance) {
  targets::GaussianTarget target(vec(golden["target_mean"]), mat(golden["target_precision"]));
  DiagonalGaussian q = golden_start(golden);
  LoopOptions options;
  options.steps = 3000;
  options.lr_factor = [](int64_t step) { return std::pow(0.001, static_cast<double>(step) / 3000); };
  const RunSummary summary = run_engine(engine, target, q, options);
  EXPECT_EQ(summary.termination, Termination::kMaxSteps) << summary.message;
  expect_near(q.mean(), vec(golden["fixed_point_diagonal"]["m"]), tolerance);
  expect_near(q.log_std().exp(), vec(golden["fixed_point_diagonal"]["sigma"]), tolerance);
}

TEST(Property4, FixedPointsWithDrawnNoise) {
  const Json& golden = golden_vi()["convergence_correlated_target"][0];
  const params::FlatLayout layout = params::FlatLayout::single(3);
  const at::Tensor like = at::zeros({3}, at::kDouble);
  Advi advi(AdviOptions{}, adam(0.05), layout, like);
  expect_noisy_fixed_point(advi, golden, 0.05);
  for (const int64_t inner : {1, 5}) {
    for (const auto estimator :
         {kernels::Estimator::kSampled, kernels::Estimator::kAnalytic, kernels::Estimator::kAdaptive}) {
      PsmOptions options;
      options.estimator = estimator;
      options.inner_steps = inner;
      ProximalScoreMatching psm(options, adam(0.05), layout, like);
      SCOPED_TRACE("estimator " + std::to_string(static_cast<int>(estimator)) + " K " + std::to_string(inner));
      expect_noisy_fixed_point(psm, golden, 0.05);
    }
  }
  ClosedFormOptions options;
  options.beta = 0.01;
  ClosedForm newton(options, {}, layout, like);
  expect_noisy_fixed_point(newton, golden, 0.1);
}

}  // namespace
}  // namespace scorevi::test
