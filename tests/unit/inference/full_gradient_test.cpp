// Gradient engines with a full Gaussian: against automatic differentiation, and where they end (Theorem 3.1 of the
// paper on proximal score matching: a target within the family is found).
#include <cmath>

#include "scorevi/inference/advi_full.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/run_engine.h"
#include "unit/inference/full_tools.h"

namespace scorevi::test {
namespace {

using namespace inference;
using kernels::Estimator;
using kernels::Norm;

struct InnerData {
  at::Tensor frozen_mean, frozen_factor, eps, scores;  // scores of the likelihood [M, D]
  PsmOptions options;
  double alpha;
  at::Tensor prior_mean, prior_precision;
};

at::Tensor gaussian_scores(const at::Tensor& mean, const at::Tensor& factor, const at::Tensor& theta) {
  return (mean - theta).matmul(at::linalg_inv(factor.matmul(factor.t())));
}

// The loss of one inner step as it is written, a function of mean and factor.
at::Tensor sampled_loss(const InnerData& d, const at::Tensor& mean, const at::Tensor& factor) {
  const at::Tensor theta = d.frozen_mean + d.eps.matmul(d.frozen_factor.t());
  const at::Tensor s_q = gaussian_scores(mean, factor, theta);
  const at::Tensor s_t = gaussian_scores(d.frozen_mean, d.frozen_factor, theta);
  const at::Tensor score = d.scores + d.prior_precision * (d.prior_mean - theta);
  const auto weighed = [&](const at::Tensor& rows) {
    return (d.options.norm == Norm::kCovariance ? rows.matmul(d.frozen_factor) : rows).square().sum(1).mean();
  };
  return d.alpha * weighed(s_q - s_t) + weighed(s_q - score);
}

// The same with E eps = 0 and E eps eps^T = 1 in all but the likelihood's score, up to a constant.
at::Tensor expected_loss(const InnerData& d, const at::Tensor& mean, const at::Tensor& factor) {
  const at::Tensor frozen = d.frozen_factor.matmul(d.frozen_factor.t());
  const at::Tensor w = d.options.norm == Norm::kCovariance ? frozen : at::eye(mean.numel(), at::kDouble);
  const at::Tensor precision = at::linalg_inv(factor.matmul(factor.t()));
  const at::Tensor delta = d.frozen_mean - mean;
  const auto trace = [](const at::Tensor& m) { return m.diagonal().sum(); };
  const at::Tensor moment = at::outer(delta, delta) + frozen;  // E (theta - m)(theta - m)^T
  const at::Tensor own = trace(precision.matmul(w).matmul(precision).matmul(moment));
  const at::Tensor with_frozen = trace(precision.matmul(w));  // E s_q^T W s_t
  const at::Tensor theta = d.frozen_mean + d.eps.matmul(d.frozen_factor.t());
  const at::Tensor data = (gaussian_scores(mean, factor, theta).matmul(w) * d.scores).sum(1).mean();
  const at::Tensor lambda = at::diag(d.prior_precision);
  const at::Tensor prior =
      trace(precision.matmul(w).matmul(lambda).matmul(at::outer(d.frozen_mean - d.prior_mean, delta) + frozen));
  return (1 + d.alpha) * own - 2 * d.alpha * with_frozen - 2 * data - 2 * prior;
}

TEST(PsmFull, TheWrittenLossHasTheGoldenGradients) {
  const Json& golden = golden_vi()["full_gaussian"]["psm"];
  for (const Json& run : golden["runs"]) {
    InnerData d;
    d.frozen_mean = vec(golden_vi()["full_gaussian"]["m"]);
    d.frozen_factor = mat(golden_vi()["full_gaussian"]["L"]);
    d.eps = mat(golden["eps"]);
    d.scores = mat(golden["scores"]);
    d.alpha = run["alpha"].get<double>();
    d.prior_mean = d.prior_precision = at::zeros_like(d.frozen_mean);
    at::Tensor mean = vec(golden["m2"]).requires_grad_(true), factor = mat(golden["L2"]).requires_grad_(true);
    const at::Tensor loss = sampled_loss(d, mean, factor);
    loss.backward();
    EXPECT_NEAR(loss.item<double>(), run["expected"]["loss"].get<double>(), 1e-10 * loss.item<double>());
    expect_near(mean.grad(), vec(run["expected"]["grad_m"]), 1e-10);
    expect_near(factor.grad().tril(), mat(run["expected"]["grad_L"]), 1e-10);
  }
}

// A smooth score that is not that of a Gaussian, with a prior of two groups, one of them uninformative.
FunctionTarget curved_target() {
  FunctionTarget target(at::zeros({4}, at::kDouble), [](const at::Tensor& theta, int64_t) {
    return Evaluation{-2.0, -theta.sin() * 2 + theta.pow(3) * 0.1 - 0.7, 0};
  });
  target.has_prior = true;
  target.gaussian_prior.groups = {{{0, 3}, 0.8}, {{3, 4}, std::numeric_limits<double>::infinity()}};
  target.gaussian_prior.mean = vec({0.3, -0.2, 0.1, 5.0});
  target.scale = 0.25;
  return target;
}

FullGaussian start() { return gaussian_of(vec({0.5, -1.1, 0.9, 0.2}), random_covariance(4, 3) * 0.3); }

InnerData inner_data(const FullGaussian& frozen, FunctionTarget& target, const PsmOptions& options, int64_t step,
                     double alpha) {
  InnerData d{frozen.mean(),
              frozen.factor(),
              {},
              {},
              options,
              alpha,
              target.gaussian_prior.mean,
              vec({1.0, 1.0, 1.0, 0.0}) / 0.64};
  std::vector<at::Tensor> eps, scores;
  for (uint32_t i = 0; i < options.samples; ++i) {
    eps.push_back(noise(frozen.mean(), 7, step, i));
    scores.push_back(target.evaluate(frozen.mean() + frozen.factor().mv(eps.back())).score);
  }
  d.eps = at::stack(eps);
  d.scores = at::stack(scores);
  return d;
}

void expect_psm_step(const InnerData& d, const FullGaussian& before, const FullGaussian& after, double scale) {
  at::Tensor mean = before.mean().clone().requires_grad_(true), factor = before.factor().clone().requires_grad_(true);
  const auto loss = d.options.estimator == Estimator::kAnalytic ? expected_loss : sampled_loss;
  loss(d, mean, factor).backward();
  expect_near((before.mean() - after.mean()) / 1e-4, mean.grad() * scale, 1e-10);
  expect_near((before.factor() - after.factor()) / 1e-4, factor.grad().tril() * scale, 1e-10);
}

TEST(PsmFull, GradientsAreThoseOfTheLoss) {
  for (const Estimator estimator : {Estimator::kSampled, Estimator::kAnalytic}) {
    for (const Norm norm : {Norm::kEuclidean, Norm::kCovariance}) {
      for (const int64_t samples : {1, 3}) {
        PsmOptions options;
        options.estimator = estimator;
        options.norm = norm;
        options.inner_steps = 2;
        options.samples = samples;
        FunctionTarget target = curved_target();
        const FullGaussian frozen = start();
        FullGaussian q = copy(frozen);
        ProximalScoreMatchingFull engine(options, sgd(1e-4), target.layout(), q.mean());
        engine.step(target, q, info_of(4, /*total=*/10));  // outer iteration 2 of 5: alpha = 0.5
        expect_psm_step(inner_data(frozen, target, options, 4, 0.5), frozen, q, target.scale);

        const FullGaussian before = copy(q);
        const StepStats stats = engine.step(target, q, info_of(5, 10));
        const InnerData second = inner_data(frozen, target, options, 5, 0.5);
        expect_psm_step(second, before, q, target.scale);
        const double loss = sampled_loss(second, before.mean(), before.factor()).item<double>();
        EXPECT_NEAR(stats.loss, target.scale * loss, 1e-10 * stats.loss);
        EXPECT_NEAR(stats.loss, target.scale * (0.5 * stats.proximal + stats.matching), 1e-13 * stats.loss);
        EXPECT_GT(stats.proximal, 0);
        EXPECT_EQ(stats.evaluations, samples);
      }
    }
  }
}

TEST(PsmFull, AdaptiveIsForTheDiagonalFamily) {
  PsmOptions options;
  options.estimator = Estimator::kAdaptive;
  const at::Tensor like = at::zeros({2}, at::kDouble);
  EXPECT_EQ(message_of(ErrorKind::kUsage,
                       [&] { ProximalScoreMatchingFull(options, sgd(1), params::FlatLayout::single(2), like); }),
            "method.estimator: got adaptive, expected analytic or sampled with posterior.family full_gaussian");
}

// Negative ELBO with the likelihood linear in theta, so that its gradient at the drawn scores is the engine's.
TEST(AdviFull, GradientsAreThoseOfTheNegativeElbo) {
  for (const bool kl_sampled : {false, true}) {
    for (const int64_t samples : {1, 3}) {
      FunctionTarget target = curved_target();
      AdviOptions options;
      options.samples = samples;
      options.kl_sampled = kl_sampled;
      const FullGaussian before = start();
      FullGaussian q = copy(before);
      AdviFull engine(options, sgd(1e-4), target.layout(), q.mean());
      const StepStats stats = engine.step(target, q, info_of(3));
      const InnerData d = inner_data(before, target, {}, 3, 0);

      at::Tensor mean = before.mean().clone().requires_grad_(true);
      at::Tensor factor = before.factor().clone().requires_grad_(true);
      at::Tensor loss = -factor.diagonal().abs().log().sum();
      for (uint32_t i = 0; i < samples; ++i) {
        const at::Tensor theta = mean + factor.tril().mv(noise(before.mean(), 7, 3, i));
        loss = loss - theta.dot(target.evaluate(theta.detach()).score) / samples;
        if (kl_sampled) loss = loss + 0.5 * (d.prior_precision * (theta - d.prior_mean).square()).sum() / samples;
      }
      if (!kl_sampled)
        loss =
            loss + 0.5 * (d.prior_precision * ((mean - d.prior_mean).square() + factor.tril().square().sum(1))).sum();
      loss.backward();
      expect_near((before.mean() - q.mean()) / 1e-4, mean.grad() * target.scale, 1e-10);
      expect_near((before.factor() - q.factor()) / 1e-4, factor.grad().tril() * target.scale, 1e-10);
      EXPECT_NEAR(stats.gradient_norm,
                  target.scale * at::cat({mean.grad(), factor.grad().tril().view({-1})}).norm().item<double>(), 1e-9);
      EXPECT_NEAR(stats.loss, target.scale * (stats.kl + 2), 1e-12);
    }
  }
}

TEST(AdviFull, AColumnThatCrossesZeroIsTurnedAround) {
  const at::Tensor zeros = at::zeros({2}, at::kDouble);
  for (const std::string name : {"sgd", "adam"}) {
    // A density that pulls sigma_1 down hard: the raw diagonal entry passes 0.
    FunctionTarget target(zeros, [](const at::Tensor& theta, int64_t) {
      return Evaluation{0.0, theta * vec({-1e4, -1.0}), 0};
    });
    FullGaussian q(zeros.clone(), mat(Json({{0.05, 0.0}, {0.3, 0.5}})));
    const FullGaussian before = copy(q);
    AdviFull engine(AdviOptions{}, optimizer(name, name == "sgd" ? 1e-2 : 0.2), params::FlatLayout::single(2), zeros);
    const StepStats stats = engine.step(target, q, info_of(1));
    EXPECT_EQ(stats.status, StepStatus::kOk);
    // What the raw step would have given, with the first column turned around.
    const at::Tensor eps = noise(zeros, 7, 1), theta = before.factor().mv(eps);
    const at::Tensor gradient =
        -at::outer(theta * vec({-1e4, -1.0}), eps).tril() - at::diag(before.factor().diagonal().reciprocal());
    const at::Tensor step = name == "sgd" ? gradient * 1e-2 : gradient.sign() * 0.2;
    const at::Tensor raw = before.factor() - step;
    ASSERT_LT(raw[0][0].item<double>(), 0);
    expect_near(q.factor(), raw * vec({-1.0, 1.0}), 1e-6);
    if (name == "sgd") continue;
    params::StateDict state;
    engine.save(state, target.layout());
    expect_near(state.tensor("optimizer.first.factor.theta"), gradient * 0.1 * vec({-1.0, 1.0}), 1e-12);
  }
}

// N(mean, covariance) is found by every full method that follows gradients.
void expect_found(Engine& engine, const at::Tensor& mean, const at::Tensor& covariance, int64_t steps,
                  double tolerance) {
  targets::GaussianTarget target(mean, at::linalg_inv(covariance));
  FullGaussian q = FullGaussian::from_mean(at::zeros_like(mean), 1);
  LoopOptions options;
  options.steps = steps;
  options.lr_factor = [steps](int64_t step) {
    return std::pow(0.001, static_cast<double>(step) / static_cast<double>(steps));
  };
  const RunSummary summary = run_engine(engine, target, q, options);
  ASSERT_EQ(summary.termination, Termination::kMaxSteps) << summary.message;
  expect_near(q.mean(), mean, tolerance);
  expect_near(q.covariance(), covariance, tolerance);
  expect_equal(q.factor(), q.factor().tril());
}

TEST(Theorem31, AFullGaussianFindsAGaussianTarget) {
  for (const Json& golden : golden_vi()["convergence_correlated_target"]) {
    const at::Tensor mean = vec(golden["fixed_point_full"]["m"]);
    const at::Tensor covariance = mat(golden["fixed_point_full"]["covariance"]);
    const params::FlatLayout layout = params::FlatLayout::single(3);
    for (const int64_t inner : {1, 5}) {
      for (const Norm norm : {Norm::kEuclidean, Norm::kCovariance}) {
        PsmOptions options;
        options.estimator = Estimator::kSampled;  // without noise at the solution, which q can match exactly
        options.norm = norm;
        options.inner_steps = inner;
        options.samples = 4;
        optim::OptimizerOptions optimizer = adam(0.05);
        optimizer.beta2 = 0.9;
        SCOPED_TRACE("K " + std::to_string(inner) + (norm == Norm::kEuclidean ? " euclidean" : " covariance"));
        ProximalScoreMatchingFull engine(options, optimizer, layout, mean);
        expect_found(engine, mean, covariance, 2000, 1e-3);
      }
    }
    AdviOptions options;
    options.samples = 8;
    AdviFull advi(options, adam(0.05), layout, mean);
    expect_found(advi, mean, covariance, 2000, 0.05);
    ClosedFormOptions closed_form;
    closed_form.samples = 8;
    closed_form.beta = 0.2;
    closed_form.mean_step = 0.2;
    ClosedFormFull solver(closed_form);
    targets::GaussianTarget target(mean, at::linalg_inv(covariance));
    FullGaussian q = FullGaussian::from_mean(at::zeros_like(mean), 1);
    for (int64_t step = 0; step < 150; ++step) ASSERT_EQ(solver.step(target, q, info_of(step)).status, StepStatus::kOk);
    expect_near(q.mean(), mean, 1e-8);
    expect_near(q.covariance(), covariance, 1e-8);
  }
}

}  // namespace
}  // namespace scorevi::test
