// Numerical trouble: refused before anything changes, or told as divergence with the element concerned.
#include <cmath>

#include <gmock/gmock.h>

#include "scorevi/inference/gsm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/run_engine.h"
#include "scorevi/targets/gaussian.h"
#include "scorevi/variational/full_gaussian.h"
#include "support/error_of.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

// N(0, 1) in four coordinates, except that one evaluation answers with `bad` in coordinate 2 or in the density.
FunctionTarget broken_target(int64_t bad_evaluation, double bad, bool density) {
  return FunctionTarget(at::zeros({4}, at::kDouble), [=](const at::Tensor& theta, int64_t evaluation) {
    Evaluation result{-0.5 * theta.square().sum().item<double>(), -theta, 0};
    if (evaluation != bad_evaluation) return result;
    if (density) result.log_density = bad;
    if (!density) result.score[2].fill_(bad);
    return result;
  });
}

std::vector<std::unique_ptr<Engine>> all_engines(int64_t samples, const params::FlatLayout& layout,
                                                 const at::Tensor& like) {
  std::vector<std::unique_ptr<Engine>> engines;
  PsmOptions psm;
  psm.samples = samples;
  psm.inner_steps = 3;
  psm.estimator = kernels::Estimator::kAdaptive;
  engines.push_back(std::make_unique<ProximalScoreMatching>(psm, adam(1e-2), layout, like));
  ClosedFormOptions closed_form;
  closed_form.samples = samples;
  engines.push_back(std::make_unique<ClosedForm>(closed_form, optim::OptimizerOptions{}, layout, like));
  closed_form.mean_update = MeanUpdate::kOptimizer;
  engines.push_back(std::make_unique<ClosedForm>(closed_form, adam(1e-2), layout, like));
  AdviOptions advi;
  advi.samples = samples;
  engines.push_back(std::make_unique<Advi>(advi, adam(1e-2), layout, like));
  return engines;
}

std::map<std::string, std::string> metadata_of(const Engine& engine, const params::FlatLayout& layout) {
  params::StateDict state;
  engine.save(state, layout);
  return state.metadata;
}

TEST(Trouble, BadValuesChangeNothingAndNameTheElement) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const int64_t samples : {1, 2}) {
    for (const double bad : {nan, infinity, -infinity}) {
      for (const bool density : {false, true}) {
        const int64_t bad_step = 4;  // inner step 1 of an outer iteration; the last sample of the step is bad
        FunctionTarget probe = broken_target(-1, 0, false);
        for (auto& engine : all_engines(samples, probe.layout(), probe.point())) {
          FunctionTarget target = broken_target(bad_step * samples + samples - 1, bad, density);
          FunctionTarget healthy = broken_target(-1, 0, false);
          DiagonalGaussian q(vec({1.0, 1.0, 1.0, 1.0}), vec({-1.0, -1.0, -1.0, -1.0}));
          for (int64_t step = 0; step < bad_step; ++step) engine->step(target, q, info_of(step, 12));

          params::StateDict before;
          engine->save(before, target.layout());
          for (auto& [name, tensor] : before.tensors) tensor = tensor.clone();
          const DiagonalGaussian q_before = copy(q);
          const StepStats stats = engine->step(target, q, info_of(bad_step, 12));
          EXPECT_EQ(stats.status, density ? StepStatus::kNonFiniteDensity : StepStatus::kNonFiniteScore);
          EXPECT_EQ(stats.bad_index, density ? -1 : 2);
          EXPECT_EQ(stats.nonfinite, density ? 0 : 1);
          EXPECT_EQ(stats.evaluations, samples);
          expect_equal(q.mean(), q_before.mean());
          expect_equal(q.log_std(), q_before.log_std());
          params::StateDict after;
          engine->save(after, target.layout());
          EXPECT_EQ(after.metadata, before.metadata);
          for (const auto& [name, tensor] : before.tensors) expect_equal(after.tensor(name), tensor);
          EXPECT_EQ(engine->step(healthy, q, info_of(bad_step, 12)).status, StepStatus::kOk);
        }
      }
    }
  }
}

TEST(Trouble, MapRefusesToo) {
  FunctionTarget target = broken_target(0, std::nan(""), false);
  Map engine(adam(0.1), target.layout(), target.point());
  variational::PointMass q(vec({1.0, 1.0, 1.0, 1.0}));
  const auto before = metadata_of(engine, target.layout());
  const StepStats stats = engine.step(target, q, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kNonFiniteScore);
  EXPECT_EQ(stats.bad_index, 2);
  EXPECT_EQ(metadata_of(engine, target.layout()), before);
  expect_equal(q.mean(), vec({1.0, 1.0, 1.0, 1.0}));
}

TEST(Trouble, SigmaOutsideItsLimitsIsDivergence) {
  const at::Tensor zeros = at::zeros({4}, at::kDouble);
  targets::DiagonalGaussianTarget target(zeros, zeros + 1);
  AdviOptions options;
  options.max_log_std = -0.99;
  Advi engine(options, sgd(0.1), target.layout(), zeros);
  DiagonalGaussian q(zeros.clone(), vec({-3.0, -1.0, -3.0, -3.0}));
  const StepStats stats = engine.step(target, q, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kDiverged);
  EXPECT_EQ(stats.bad_index, 1);
  EXPECT_EQ(stats.nonfinite, 0);
  EXPECT_GT(stats.sigma_max, std::exp(-0.99));
  EXPECT_THAT(describe_trouble(stats, target.layout()), ::testing::HasSubstr("sigma left its limits at theta[1]"));
}

TEST(Trouble, AnOverflowingStepIsDivergence) {
  const at::Tensor zeros = at::zeros({4}, at::kFloat);
  FunctionTarget target(zeros, [&](const at::Tensor& theta, int64_t) {
    Evaluation result{0.0, at::zeros_like(theta), 0};
    result.score[3].fill_(1e30);
    return result;
  });
  variational::PointMass q(zeros.clone());
  Map engine(sgd(1e20), target.layout(), zeros);
  const StepStats stats = engine.step(target, q, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kDiverged);
  EXPECT_EQ(stats.bad_index, 3);
  EXPECT_EQ(stats.nonfinite, 1);
  EXPECT_EQ(describe_trouble(stats, target.layout()),
            "the step left values that are not finite at theta[3] (1 of 4 entries)");
}

TEST(RunEngine, StopsAtTheFirstBadStepOrAfterSoManyInARow) {
  for (const int64_t allowed : {0, 1}) {
    FunctionTarget target = broken_target(5, std::nan(""), false);
    Advi engine(AdviOptions{}, adam(1e-2), target.layout(), target.point());
    DiagonalGaussian q = DiagonalGaussian::from_mean(target.point(), 0.1);
    LoopOptions options;
    options.steps = 20;
    options.max_nonfinite_steps = allowed;
    const RunSummary summary = run_engine(engine, target, q, options);
    EXPECT_EQ(summary.refused_steps, 1);
    if (allowed == 0) {
      EXPECT_EQ(summary.termination, Termination::kDiverged);
      EXPECT_EQ(summary.steps, 6);
      EXPECT_EQ(summary.message, "stopped at step 5: score is not finite at theta[2] (1 of 4 entries)");
    } else {
      EXPECT_EQ(summary.termination, Termination::kMaxSteps);
      EXPECT_EQ(summary.steps, 20);
      EXPECT_EQ(summary.evaluations, 20);
      EXPECT_EQ(summary.message, "made 20 steps");
    }
  }
}

TEST(RunEngine, AnExplodedLossIsRefused) {
  FunctionTarget target = broken_target(5, -1e6, /*density=*/true);
  target.scale = 1e-3;
  for (const double limit : {999.0, 1001.0}) {
    target.evaluations = 0;
    Advi engine(AdviOptions{}, adam(1e-2), target.layout(), target.point());
    DiagonalGaussian q = DiagonalGaussian::from_mean(at::zeros({4}, at::kDouble), 0.1);
    LoopOptions options;
    options.steps = 20;
    options.max_loss = limit;
    const RunSummary summary = run_engine(engine, target, q, options);
    EXPECT_EQ(summary.steps, limit < 1000 ? 6 : 20) << summary.message;
    if (limit < 1000) {
      EXPECT_EQ(summary.last.status, StepStatus::kExploded);
    }
  }
}

class Recorder final : public Observer {
 public:
  void on_step(const StepInfo& info, const StepStats&) override { factors.push_back(info.lr_factor); }
  void on_end(const std::string& reason) override { end = reason; }
  std::vector<double> factors;
  std::string end;
};

TEST(RunEngine, TellsItsObserverAndFollowsTheSchedule) {
  FunctionTarget target = broken_target(-1, 0, false);
  Advi engine(AdviOptions{}, adam(1e-2), target.layout(), target.point());
  DiagonalGaussian q = DiagonalGaussian::from_mean(target.point(), 0.1);
  LoopOptions options;
  options.steps = 5;
  options.first_step = 2;
  options.lr_factor = [](int64_t step) { return 1.0 / static_cast<double>(step); };
  std::vector<int64_t> prepared;
  options.before_step = [&](int64_t step) { prepared.push_back(step); };
  Recorder recorder;
  const RunSummary summary = run_engine(engine, target, q, options, &recorder);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(prepared, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(recorder.factors, (std::vector<double>{1.0 / 2, 1.0 / 3, 1.0 / 4}));
  EXPECT_EQ(recorder.end, summary.message);
}

TEST(Trouble, ARefusedFirstInnerStepStillFreezesTheFullFamily) {
  FunctionTarget target = broken_target(/*bad_evaluation=*/0, std::nan(""), /*density=*/true);
  PsmOptions psm;
  psm.inner_steps = 3;
  ProximalScoreMatchingFull engine(psm, adam(1e-2), target.layout(), target.point());
  auto q = variational::FullGaussian::from_mean(at::full({4}, 0.5, at::kDouble), 0.3);
  LoopOptions options;
  options.steps = 6;
  options.max_nonfinite_steps = 1;
  const RunSummary summary = run_engine(engine, target, q, options);
  EXPECT_EQ(summary.termination, Termination::kMaxSteps) << summary.message;
  EXPECT_EQ(summary.refused_steps, 1);
  EXPECT_LT((q.mean() - 0.5).abs().max().item<double>(), 0.1);
}

TEST(Trouble, ClosedFormsGoOnWithoutTheBadDraws) {
  const auto half_plane = [](const at::Tensor& theta, int64_t evaluation) {
    Evaluation result{-0.5 * theta.square().sum().item<double>(), -theta, 0};
    if (evaluation % 5 == 0) result.log_density = std::nan("");
    return result;
  };
  FunctionTarget target(at::zeros({4}, at::kDouble), half_plane);
  Gsm engine(GaussianOptions{8});
  auto q = variational::FullGaussian::from_mean(at::full({4}, 2.0, at::kDouble), 3);
  LoopOptions options;
  options.steps = 150;
  const RunSummary summary = run_engine(engine, target, q, options);
  EXPECT_EQ(summary.refused_steps, 0);
  EXPECT_LT(q.mean().abs().max().item<double>(), 1e-6);
  EXPECT_LT((q.standard_deviations() - 1).abs().max().item<double>(), 1e-6);

  FunctionTarget nowhere(at::zeros({4}, at::kDouble), [](const at::Tensor& theta, int64_t) {
    return Evaluation{std::nan(""), theta, 0};
  });
  EXPECT_EQ(engine.step(nowhere, q, {}).status, StepStatus::kNonFiniteDensity);
}

TEST(Trouble, OneDrawSaysNothingAboutACovariance) {
  const std::string message = message_of(ErrorKind::kUsage, [] { ClosedFormFull engine{ClosedFormOptions{}}; });
  EXPECT_THAT(message, ::testing::HasSubstr("method.samples: got 1, expected at least 2"));
}

}  // namespace
}  // namespace scorevi::test
