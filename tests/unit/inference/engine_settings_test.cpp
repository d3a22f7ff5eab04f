// Settings: alpha, groups of prior and optimiser, clipping, scales, options and combinations.
#include <cmath>

#include <gmock/gmock.h>

#include "scorevi/inference/registry.h"
#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

const double kInf = std::numeric_limits<double>::infinity();

targets::GaussianTarget correlated_target() {
  const Json& golden = golden_vi()["convergence_correlated_target"][0];
  return targets::GaussianTarget(vec(golden["target_mean"]), mat(golden["target_precision"]));
}

DiagonalGaussian psm_after(const PsmOptions& options, int64_t steps) {
  targets::GaussianTarget target = correlated_target();
  DiagonalGaussian q(vec({-1.0, 0.0, 2.0}), vec({-0.5, 0.1, 0.3}));
  ProximalScoreMatching engine(options, sgd(1e-2), target.layout(), q.mean());
  for (int64_t step = 0; step < steps; ++step) engine.step(target, q, info_of(step, steps));
  return q;
}

TEST(Alpha, HasNoEffectWithOneInnerStepAndOneWithMore) {
  for (const auto estimator : {kernels::Estimator::kSampled, kernels::Estimator::kAnalytic}) {
    PsmOptions options;
    options.estimator = estimator;
    options.alpha_max = 0;
    const DiagonalGaussian without = psm_after(options, 20);
    options.alpha_max = 1;
    const DiagonalGaussian with = psm_after(options, 20);
    expect_equal(without.mean(), with.mean());
    expect_equal(without.log_std(), with.log_std());

    options.inner_steps = 4;
    const DiagonalGaussian with_inner = psm_after(options, 20);
    options.alpha_max = 0;
    const DiagonalGaussian without_inner = psm_after(options, 20);
    EXPECT_FALSE(at::equal(without_inner.mean(), with_inner.mean()));
    EXPECT_FALSE(at::equal(without_inner.log_std(), with_inner.log_std()));
  }
}

TEST(Alpha, InnerStepsEndAtTheExactSolution) {
  // Target N(0.3, 1/2), q_t = N(0, 1): Lambda' = Lambda + beta (h - Lambda), m' = m + beta g / Lambda', beta = 1/(1 +
  // alpha).
  const at::Tensor zeros = at::zeros({100}, at::kDouble);
  for (const double alpha : {0.0, 4.0}) {
    targets::DiagonalGaussianTarget target(zeros + 0.3, zeros + 2.0);
    PsmOptions options;
    options.inner_steps = 2000;
    options.alpha_max = alpha;
    options.estimator = kernels::Estimator::kSampled;  // no noise at the solution, which q can match exactly
    options.samples = 4;
    DiagonalGaussian q(zeros.clone(), zeros.clone());
    ProximalScoreMatching engine(options, sgd(2e-3 / (1 + alpha)), target.layout(), zeros);
    // The second of two outer iterations, where alpha = alpha_max.
    for (int64_t step = 2000; step < 4000; ++step) engine.step(target, q, info_of(step, 4000));
    const double beta = 1 / (1 + alpha);
    const double precision = 1 + beta * (2 - 1);
    EXPECT_NEAR((q.log_std() * -2).exp().mean().item<double>(), precision, 0.06 * precision);
    EXPECT_NEAR(q.mean().mean().item<double>(), beta * 0.6 / precision, 0.02);
  }
}

TEST(Alpha, GoldenSchedule) {
  const Json golden = Json::parse(std::ifstream("tests/golden/numbers/schedules.json"));
  for (const Json& row : golden["alpha"]) {
    PsmOptions options;
    options.inner_steps = 3;
    options.alpha_max = row["alpha_max"].get<double>();
    const int64_t outer = row["T"].get<int64_t>();
    for (const int64_t total : {3 * outer, 3 * outer - 2}) {
      for (int64_t step = 0; step < total; ++step)
        EXPECT_NEAR(proximal_weight(options, step, total), row["alpha"][step / 3].get<double>(), 1e-15);
    }
  }
}

// A layout of two parameters with prior groups that cut across them.
struct Grouped {
  FunctionTarget target;
  DiagonalGaussian q;
};

Grouped grouped() {
  Grouped made{FunctionTarget(at::zeros({6}, at::kDouble),
                              [](const at::Tensor& theta, int64_t) {
                                return Evaluation{0.0, theta.cos() * 3, 0};
                              }),
               DiagonalGaussian(vec({0.5, -1.0, 0.3, 2.0, 0.1, -0.2}), vec({-1.0, -0.5, -2.0, 0.2, -0.1, -0.7}))};
  made.target.has_prior = true;
  made.target.gaussian_prior.groups = {{{0, 3}, 0.5}, {{3, 4}, kInf}, {{4, 6}, 2.0}};
  made.target.gaussian_prior.mean = vec({0.1, 0.2, 0.3, 9.0, 0.5, 0.6});
  return made;
}

params::FlatLayout two_parameters() {
  params::FlatLayout layout;
  layout.append("body.weight", {2, 2});
  layout.append("head.bias", {2});
  return layout;
}

TEST(Groups, PriorAndOptimizerRangesAreIntersected) {
  Grouped setup = grouped();
  optim::OptimizerOptions options = sgd(0.1);
  options.groups.push_back({"head.*", 0.01, std::nullopt});
  AdviOptions advi_options;
  advi_options.min_log_std = -1e6;
  Advi engine(advi_options, options, two_parameters(), setup.q.mean());
  const DiagonalGaussian before = copy(setup.q);
  const StepStats stats = engine.step(setup.target, setup.q, info_of(0));

  const at::Tensor precision = vec({4.0, 4.0, 4.0, 0.0, 0.25, 0.25}), lr = vec({0.1, 0.1, 0.1, 0.1, 0.01, 0.01});
  const at::Tensor sigma = before.log_std().exp(), eps = noise(sigma, 7, 0);
  const at::Tensor score = (before.mean() + sigma * eps).cos() * 3;
  const at::Tensor distance = before.mean() - setup.target.gaussian_prior.mean;
  const at::Tensor gradient_m = precision * distance - score;
  const at::Tensor gradient_rho = precision * sigma.square() - score * eps * sigma - 1;
  expect_near(before.mean() - setup.q.mean(), lr * gradient_m, 1e-12);
  expect_near(before.log_std() - setup.q.log_std(), lr * gradient_rho, 1e-12);
  EXPECT_NEAR(stats.gradient_norm, at::cat({gradient_m, gradient_rho}).norm().item<double>(),
              1e-12 * stats.gradient_norm);

  // KL: closed form in the finite groups, minus the entropy in the uninformative one; in nats, summed.
  double kl = 0;
  for (int64_t j = 0; j < 6; ++j) {
    const double p = precision[j].item<double>(), s = sigma[j].item<double>(), d = distance[j].item<double>();
    const double entropy = std::log(s) + 0.5 * (1 + std::log(2 * std::acos(-1.0)));
    kl += p == 0 ? -entropy : -0.5 * std::log(p) - std::log(s) + 0.5 * p * (s * s + d * d) - 0.5;
  }
  EXPECT_NEAR(stats.kl, kl, 1e-10 * std::abs(kl));
  EXPECT_NEAR(stats.loss, kl, 1e-10 * std::abs(kl));  // the density is 0 and the scale 1
}

TEST(Kl, GoldenValues) {
  for (const Json& golden : golden_vi()["kl"]) {
    const at::Tensor m = vec(golden["m"]);
    FunctionTarget target(m, [](const at::Tensor& theta, int64_t) {
      return Evaluation{0.0, at::zeros_like(theta), 0};
    });
    target.has_prior = true;
    target.gaussian_prior.mean = vec(golden["mu0"]);
    for (const Json& entry : golden["groups"]) {
      GaussianPrior::Group prior_group;
      prior_group.begin = entry["begin"].get<int64_t>();
      prior_group.end = entry["end"].get<int64_t>();
      prior_group.std = number(entry["sigma0"]);
      target.gaussian_prior.groups.push_back(prior_group);
    }
    DiagonalGaussian q(m.clone(), vec(golden["rho"]).clone());
    Advi engine(AdviOptions{}, sgd(1e-3), target.layout(), m);
    const StepStats stats = engine.step(target, q, info_of(0));
    EXPECT_NEAR(stats.kl, golden["expected"]["kl"].get<double>(), 1e-10 * std::abs(stats.kl)) << golden["name"];
    expect_near((m - q.mean()) / 1e-3, vec(golden["expected"]["grad_m"]), 1e-10);
    expect_near((vec(golden["rho"]) - q.log_std()) / 1e-3, vec(golden["expected"]["grad_rho"]), 1e-10);
  }
}

TEST(Clipping, ByNormScalesTheWholeGradient) {
  Grouped plain = grouped(), clipped = grouped();
  const DiagonalGaussian start = copy(plain.q);
  AdviOptions options;
  Advi free_engine(options, sgd(0.1), two_parameters(), start.mean());
  const double norm = free_engine.step(plain.target, plain.q, info_of(0)).gradient_norm;

  optim::OptimizerOptions limited = sgd(0.1);
  limited.clip_norm = norm / 4;
  Advi engine(options, limited, two_parameters(), start.mean());
  const StepStats stats = engine.step(clipped.target, clipped.q, info_of(0));
  EXPECT_DOUBLE_EQ(stats.gradient_norm, norm);  // before clipping
  expect_near((start.mean() - clipped.q.mean()) * 4, start.mean() - plain.q.mean(), 1e-5);
  expect_near((start.log_std() - clipped.q.log_std()) * 4, start.log_std() - plain.q.log_std(), 1e-5);

  Grouped wide = grouped();
  limited.clip_norm = 4 * norm;  // a limit that is not reached changes nothing
  Advi loose(options, limited, two_parameters(), start.mean());
  loose.step(wide.target, wide.q, info_of(0));
  expect_equal(wide.q.mean(), plain.q.mean());
}

TEST(Scale, GradientsAndLossAreMultipliedByLossScale) {
  Grouped plain = grouped(), scaled = grouped();
  scaled.target.scale = 1.0 / 64;
  const DiagonalGaussian start = copy(plain.q);
  Advi first(AdviOptions{}, sgd(0.01), two_parameters(), start.mean());
  Advi second(AdviOptions{}, sgd(0.64), two_parameters(), start.mean());
  const StepStats whole = first.step(plain.target, plain.q, info_of(0));
  const StepStats part = second.step(scaled.target, scaled.q, info_of(0));
  EXPECT_DOUBLE_EQ(part.loss * 64, whole.loss);
  EXPECT_DOUBLE_EQ(part.kl, whole.kl);
  expect_near(scaled.q.mean(), plain.q.mean(), 1e-14);
}

TEST(Schedule, FactorMultipliesTheLearningRateAndTheMeanStep) {
  StepInfo info = info_of(0);
  info.lr_factor = 0.5;
  Grouped whole = grouped(), half = grouped();
  const DiagonalGaussian start = copy(whole.q);
  Advi advi(AdviOptions{}, sgd(0.01), two_parameters(), start.mean());
  advi.step(whole.target, whole.q, info_of(0));
  Advi slower(AdviOptions{}, sgd(0.01), two_parameters(), start.mean());
  slower.step(half.target, half.q, info);
  expect_near((start.mean() - half.q.mean()) * 2, start.mean() - whole.q.mean(), 1e-12);

  Grouped newton = grouped(), newton_half = grouped();
  ClosedForm fast(ClosedFormOptions{}, {}, two_parameters(), start.mean());
  fast.step(newton.target, newton.q, info_of(0));
  ClosedForm slow(ClosedFormOptions{}, {}, two_parameters(), start.mean());
  slow.step(newton_half.target, newton_half.q, info);
  expect_near((start.mean() - newton_half.q.mean()) * 2, start.mean() - newton.q.mean(), 1e-12);
  expect_equal(newton.q.log_std(), newton_half.q.log_std());  // beta does not follow it
}

TEST(Map, EndsAtTheRidgeSolutionAndReportsItsLoss) {
  const at::Tensor mean = vec({1.0, -2.0, 0.5});
  targets::DiagonalGaussianTarget target(mean, vec({4.0, 1.0, 0.25}));
  GaussianPrior prior;
  prior.groups = {{{0, 2}, 0.5}, {{2, 3}, kInf}};
  target.set_prior(prior);
  variational::PointMass q(target.point());  // theta itself: no copy of it is kept
  Map engine(sgd(0.1), target.layout(), target.point());
  StepStats stats;
  for (int64_t step = 0; step < 2000; ++step) stats = engine.step(target, q, info_of(step));
  expect_near(q.mean(), vec({1.0 * 4 / (4 + 4), -2.0 * 1 / (1 + 4), 0.5}), 1e-12);
  const double log_density = target.evaluate(q.mean()).log_density;
  const double log_prior = -0.5 * 4 * (0.25 + 0.16) - 2 * std::log(0.5 * std::sqrt(2 * std::acos(-1.0)));
  EXPECT_NEAR(stats.loss, -log_density - log_prior, 1e-10);
  EXPECT_TRUE(std::isnan(stats.kl));
  EXPECT_TRUE(std::isnan(stats.sigma_mean));
}

TEST(Stats, SigmaIsThatOfTheFamilyAfterTheStep) {
  Grouped setup = grouped();
  PsmOptions options;
  ProximalScoreMatching engine(options, sgd(1e-4), two_parameters(), setup.q.mean());
  const StepStats stats = engine.step(setup.target, setup.q, info_of(0));
  const at::Tensor sigma = setup.q.log_std().exp();
  EXPECT_NEAR(stats.sigma_mean, sigma.mean().item<double>(), 1e-12);
  EXPECT_NEAR(stats.sigma_min, sigma.min().item<double>(), 1e-12);
  EXPECT_NEAR(stats.sigma_max, sigma.max().item<double>(), 1e-12);
  EXPECT_EQ(stats.proximal, 0);  // q = q_t
  EXPECT_EQ(stats.evaluations, 1);
}

TEST(Registry, RefusesUnknownMethodsAndWrongFamilies) {
  check_combination("psm", "diagonal_gaussian");
  check_combination("advi", "diagonal_gaussian");
  check_combination("map", "point_mass");
  EXPECT_EQ(message_of(ErrorKind::kUsage, [] { check_combination("pms", "diagonal_gaussian"); }),
            "method.name: unknown name, got \"pms\", expected one of psm, advi, map, fisher, gsm, bam (did you mean "
            "\"psm\"?)");
  EXPECT_EQ(
      message_of(ErrorKind::kUsage, [] { check_combination("map", "diagonal_gaussian"); }),
      "posterior.family: method map cannot move this family, got \"diagonal_gaussian\", expected one of point_mass");
}

template <class Options, class Change>
std::string refusal(Options options, Change&& change) {
  change(options);
  return message_of(ErrorKind::kUsage, [&] { validate(options); });
}

TEST(Options, OutOfRangeValuesAreNamed) {
  EXPECT_EQ(refusal(PsmOptions{}, [](auto& o) { o.inner_steps = 0; }),
            "method.inner_steps: got 0, expected at least 1");
  EXPECT_EQ(refusal(PsmOptions{}, [](auto& o) { o.samples = 0; }), "method.samples: got 0, expected at least 1");
  EXPECT_EQ(refusal(PsmOptions{}, [](auto& o) { o.alpha_max = -1; }), "method.alpha_max: got -1, expected at least 0");
  EXPECT_EQ(refusal(PsmOptions{}, [](auto& o) { o.curvature_decay = 1; }),
            "method.curvature_decay: got 1, expected 0 <= decay < 1");
  EXPECT_EQ(refusal(ClosedFormOptions{}, [](auto& o) { o.beta = 0; }), "method.beta: got 0, expected 0 < beta <= 1");
  EXPECT_EQ(refusal(ClosedFormOptions{}, [](auto& o) { o.mean_step = -0.1; }),
            "method.mean_step: got -0.1, expected above 0");
  EXPECT_EQ(refusal(ClosedFormOptions{}, [](auto& o) { o.average_decay = 1; }),
            "method.average: got 1, expected at least 0 and below 1");
  EXPECT_EQ(refusal(AdviOptions{}, [](auto& o) { o.min_log_std = 9; }),
            "method.min_log_std: got 9, expected less than max_log_std = 8");
}

}  // namespace
}  // namespace scorevi::test
