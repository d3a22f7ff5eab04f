// Properties 1 and 7 of the method: gradients against automatic differentiation, and how the estimators relate.
#include <cmath>

#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;
using kernels::Estimator;
using kernels::Norm;

const double kInf = std::numeric_limits<double>::infinity();

// What one engine step with plain descent at rate 1 subtracts.
struct Gradients {
  at::Tensor mean, log_std;
};

Gradients gradients(Engine& engine, LogDensity& target, const DiagonalGaussian& q, const StepInfo& info) {
  const DiagonalGaussian moved = copy(q);
  DiagonalGaussian family = moved;
  engine.step(target, family, info);
  return {q.mean() - moved.mean(), q.log_std() - moved.log_std()};
}

PsmOptions psm_options(Estimator estimator, Norm norm, int64_t inner_steps = 1) {
  PsmOptions options;
  options.estimator = estimator;
  options.norm = norm;
  options.inner_steps = inner_steps;
  options.min_log_std = -1e6;
  options.max_log_std = 1e6;
  return options;
}

DiagonalGaussian start() {
  return DiagonalGaussian(vec({0.5, -1.1, 1.9, 0.2, -0.4}), vec({-1.0, -0.6, 0.3, -1.4, 0.1}));
}

// Some smooth score that is not that of a Gaussian, with a prior of two groups, one of them uninformative.
FunctionTarget curved_target() {
  FunctionTarget target(start().mean(), [](const at::Tensor& theta, int64_t) {
    return Evaluation{0.0, -theta.sin() * 2 + theta.pow(3) * 0.1 - 0.7, 0};
  });
  target.has_prior = true;
  target.gaussian_prior.groups = {{{0, 3}, 0.8}, {{3, 5}, kInf}};
  target.gaussian_prior.mean = vec({0.3, -0.2, 0.1, 5.0, 5.0});
  target.scale = 0.25;
  return target;
}

at::Tensor prior_precision() { return vec({1.0, 1.0, 1.0, 0.0, 0.0}) / (0.8 * 0.8); }

// The loss of one inner step as a function of (m, rho), everything else constant. Sampled: as drawn. Analytic: known
// moments of the noise taken exactly, the likelihood score as drawn.
at::Tensor psm_loss(const PsmOptions& options, double alpha, const DiagonalGaussian& frozen, const at::Tensor& eps,
                    FunctionTarget& target, const at::Tensor& m, const at::Tensor& rho) {
  const at::Tensor sigma_t = frozen.log_std().exp();
  const at::Tensor theta = frozen.mean() + sigma_t * eps;
  const at::Tensor variance = (rho * 2).exp();
  const at::Tensor weight = options.norm == Norm::kCovariance ? sigma_t.square() : at::ones_like(sigma_t);
  const at::Tensor likelihood = target.evaluate(theta).score.clone();
  const at::Tensor& mu0 = target.gaussian_prior.mean;
  const at::Tensor s_q = -(theta - m) / variance;
  if (options.estimator == Estimator::kSampled) {
    const at::Tensor score = likelihood - prior_precision() * (theta - mu0);
    return (weight * (alpha * (s_q + eps / sigma_t).square() + (s_q - score).square())).sum();
  }
  const at::Tensor delta = frozen.mean() - m;
  const at::Tensor own = (delta.square() + sigma_t.square()) / variance.square();  // E s_q^2
  const at::Tensor proximal = delta.square() / variance.square() + (1 / sigma_t - sigma_t / variance).square();
  const at::Tensor with_prior =
      prior_precision() * (delta * (frozen.mean() - mu0) + sigma_t.square()) / variance;  // E s_q s_prior
  return (weight * (alpha * proximal + own - 2 * s_q * likelihood - 2 * with_prior)).sum();
}

// Property 1: the gradients of the second inner step, where q differs from q_t, equal automatic differentiation.
void expect_autograd(Estimator estimator, Norm norm) {
  const PsmOptions options = psm_options(estimator, norm, /*inner_steps=*/2);
  FunctionTarget target = curved_target();
  const DiagonalGaussian frozen = start();
  ProximalScoreMatching engine(options, sgd(1e-3), target.layout(), frozen.mean());
  DiagonalGaussian q = copy(frozen);
  const int64_t first = 4;  // outer iteration 2 of 5: alpha = 0.5
  engine.step(target, q, info_of(first, /*total=*/10));
  ASSERT_FALSE(at::equal(q.mean(), frozen.mean()));

  const DiagonalGaussian before = copy(q);
  const StepStats stats = engine.step(target, q, info_of(first + 1, 10));
  EXPECT_DOUBLE_EQ(stats.alpha, 0.5);

  at::Tensor m = before.mean().clone().requires_grad_(true);
  at::Tensor rho = before.log_std().clone().requires_grad_(true);
  const at::Tensor eps = noise(m, 7, first + 1);
  psm_loss(options, 0.5, frozen, eps, target, m, rho).backward();
  expect_near((before.mean() - q.mean()) / 1e-3, m.grad() * target.scale, 1e-10);
  expect_near((before.log_std() - q.log_std()) / 1e-3, rho.grad() * target.scale, 1e-10);

  // The reported loss is the drawn one for either estimator.
  PsmOptions sampled = options;
  sampled.estimator = Estimator::kSampled;
  const at::Tensor loss = psm_loss(sampled, 0.5, frozen, eps, target, before.mean(), before.log_std());
  EXPECT_NEAR(stats.loss, loss.item<double>() * target.scale, 1e-12 * std::abs(stats.loss));
  EXPECT_NEAR(stats.loss, target.scale * (0.5 * stats.proximal + stats.matching), 1e-14 * std::abs(stats.loss));
  EXPECT_GT(stats.proximal, 0);
}

TEST(Property1, SampledGradientIsThatOfTheLoss) {
  expect_autograd(Estimator::kSampled, Norm::kEuclidean);
  expect_autograd(Estimator::kSampled, Norm::kCovariance);
}

TEST(Property1, AnalyticGradientIsThatOfTheExpectedLoss) {
  expect_autograd(Estimator::kAnalytic, Norm::kEuclidean);
  expect_autograd(Estimator::kAnalytic, Norm::kCovariance);
}

TEST(Property1, SeveralSamplesAreTheMeanOfSingleOnes) {
  for (const Estimator estimator : {Estimator::kSampled, Estimator::kAnalytic}) {
    FunctionTarget target = curved_target();
    const DiagonalGaussian q = start();
    PsmOptions options = psm_options(estimator, Norm::kEuclidean);
    options.samples = 3;
    ProximalScoreMatching engine(options, sgd(1), target.layout(), q.mean());
    const Gradients together = gradients(engine, target, q, info_of(0));
    at::Tensor m = q.mean().clone().requires_grad_(true);
    at::Tensor rho = q.log_std().clone().requires_grad_(true);
    for (uint32_t sample = 0; sample < 3; ++sample)
      (psm_loss(options, 0, q, noise(m, 7, 0, sample), target, m, rho) * (target.scale / 3)).backward();
    expect_near(together.mean, m.grad(), 1e-10);
    expect_near(together.log_std, rho.grad(), 1e-10);
  }
}

TEST(Property1, LossesOfSeveralSamplesAreMeans) {
  FunctionTarget target = curved_target();
  const DiagonalGaussian frozen = start();
  PsmOptions options = psm_options(Estimator::kSampled, Norm::kCovariance, /*inner_steps=*/2);
  options.samples = 3;
  ProximalScoreMatching engine(options, sgd(1e-3), target.layout(), frozen.mean());
  DiagonalGaussian q = copy(frozen);
  engine.step(target, q, info_of(0, 4));
  const DiagonalGaussian before = copy(q);
  const StepStats stats = engine.step(target, q, info_of(1, 4));
  double matching = 0, with_proximal = 0;
  for (uint32_t sample = 0; sample < 3; ++sample) {
    const at::Tensor eps = noise(q.mean(), 7, 1, sample);
    matching += psm_loss(options, 0, frozen, eps, target, before.mean(), before.log_std()).item<double>() / 3;
    with_proximal += psm_loss(options, 1, frozen, eps, target, before.mean(), before.log_std()).item<double>() / 3;
  }
  EXPECT_NEAR(stats.matching, matching, 1e-12 * matching);
  EXPECT_NEAR(stats.proximal, with_proximal - matching, 1e-10 * matching);
  EXPECT_EQ(stats.evaluations, 3);
}

TEST(Property1, AdviGradientIsThatOfTheReparametrisedElbo) {
  for (const bool kl_sampled : {false, true}) {
    targets::GaussianTarget target(vec({0.2, -0.3, 0.4, 0.1, 0.7}), at::eye(5, at::kDouble) * 2 + 0.3);
    inference::GaussianPrior prior;
    prior.groups = {{{0, 3}, 0.8}, {{3, 5}, kInf}};
    prior.mean = vec({0.3, -0.2, 0.1, 5.0, 5.0});
    target.set_prior(prior);
    AdviOptions options;
    options.kl_sampled = kl_sampled;
    options.min_log_std = -1e6;
    Advi engine(options, sgd(1), target.layout(), target.point());
    const DiagonalGaussian q = start();
    const Gradients actual = gradients(engine, target, q, info_of(3));

    at::Tensor m = q.mean().clone().requires_grad_(true);
    at::Tensor rho = q.log_std().clone().requires_grad_(true);
    const at::Tensor theta = m + rho.exp() * noise(m, 7, 3);
    const at::Tensor likelihood = (target.evaluate(theta.detach()).score.detach() * theta).sum();
    const at::Tensor distance =
        kl_sampled ? (theta - prior.mean).square() : (m - prior.mean).square() + (rho * 2).exp();
    (-likelihood + (prior_precision() * distance).sum() / 2 - rho.sum()).backward();
    expect_near(actual.mean, m.grad(), 1e-10);
    expect_near(actual.log_std, rho.grad(), 1e-10);
  }
}

// Property 7, exactly: at q = q_t the analytic gradients are (2, 4) W / sigma^2 times ADVI's of the same noise and
// batch.
TEST(Property7, AnalyticIsAPreconditionedAdvi) {
  FunctionTarget target = curved_target();
  const DiagonalGaussian q = start();
  AdviOptions advi_options;
  advi_options.min_log_std = -1e6;
  Advi advi(advi_options, sgd(1), target.layout(), q.mean());
  const Gradients base = gradients(advi, target, q, info_of(9));
  const at::Tensor precision = (q.log_std() * -2).exp();

  ProximalScoreMatching euclidean(psm_options(Estimator::kAnalytic, Norm::kEuclidean), sgd(1), target.layout(),
                                  q.mean());
  const Gradients plain = gradients(euclidean, target, q, info_of(9));
  expect_near(plain.mean, 2 * precision * base.mean, 1e-12);
  expect_near(plain.log_std, 4 * precision * base.log_std, 1e-12);

  ProximalScoreMatching covariance(psm_options(Estimator::kAnalytic, Norm::kCovariance), sgd(1), target.layout(),
                                   q.mean());
  const Gradients weighted = gradients(covariance, target, q, info_of(9));
  expect_near(weighted.mean, 2 * base.mean, 1e-12);
  expect_near(weighted.log_std, 4 * base.log_std, 1e-12);
}

// One coordinate repeated 10^5 times: one step draws 10^5 independent gradients.
struct Moments {
  double mean_m, mean_rho, variance_m, variance_rho;
};

const int64_t kDraws = 100000;

Moments measure(Estimator estimator, double sigma) {
  const Json& golden = golden_vi()["estimator_variance"];
  const double precision = golden["precision"].get<double>();
  const at::Tensor zeros = at::zeros({kDraws}, at::kDouble);
  targets::DiagonalGaussianTarget target(zeros, zeros + precision);
  const DiagonalGaussian q(zeros + golden["offset"].get<double>(), zeros + std::log(sigma));
  PsmOptions options = psm_options(estimator, Norm::kEuclidean);
  options.curvature_decay = 1 - 1e-12;
  ProximalScoreMatching engine(options, sgd(1), target.layout(), q.mean());
  if (estimator == Estimator::kAdaptive) {  // as after very many steps: the true curvature is known
    params::StateDict state;
    engine.save(state, target.layout());
    for (auto& [name, tensor] : state.tensors)
      if (name.find("curvature") != std::string::npos) tensor = zeros + precision;
    state.set_int("psm.curvature_steps", int64_t{1} << 50);
    engine.load(state, target.layout());
  }
  const Gradients found = gradients(engine, target, q, info_of(0));
  return {found.mean.mean().item<double>(), found.log_std.mean().item<double>(), found.mean.var().item<double>(),
          found.log_std.var().item<double>()};
}

TEST(Property7, EstimatorsHaveEqualMeansAndTheStatedVariances) {
  for (const Json& row : golden_vi()["estimator_variance"]["rows"]) {
    const double sigma = row["sigma"].get<double>();
    const Json& variance = row["variance"];
    const Moments analytic = measure(Estimator::kAnalytic, sigma);
    const Moments sampled = measure(Estimator::kSampled, sigma);
    const Moments adaptive = measure(Estimator::kAdaptive, sigma);
    const double mean_m = row["mean_grad_m"].get<double>(), mean_rho = row["mean_grad_rho"].get<double>();
    for (const Moments& one : {analytic, sampled, adaptive}) {
      EXPECT_NEAR(one.mean_m, mean_m, 3 * std::sqrt(one.variance_m / kDraws) + 1e-9 * std::abs(mean_m));
      EXPECT_NEAR(one.mean_rho, mean_rho, 3 * std::sqrt(one.variance_rho / kDraws));
    }
    const auto expect_variance = [&](double actual, const char* name) {
      const double expected = variance[name].get<double>();
      EXPECT_NEAR(actual, expected, 0.05 * expected + 1e-20) << name << " at sigma " << sigma;
    };
    expect_variance(analytic.variance_m, "analytic_m");
    expect_variance(sampled.variance_m, "sampled_m");
    expect_variance(analytic.variance_rho, "analytic_rho");
    expect_variance(sampled.variance_rho, "sampled_rho");

    const double share = row["precision_times_sigma_squared"].get<double>();
    if (share < 0.5) {
      EXPECT_LT(analytic.variance_m, sampled.variance_m);
    }
    if (share > 0.5) {
      EXPECT_GT(analytic.variance_m, sampled.variance_m);
    }
    EXPECT_LE(adaptive.variance_m, 1.001 * std::min(analytic.variance_m, sampled.variance_m) + 1e-20);
  }
}

TEST(Adaptive, FindsTheCurvatureByItself) {
  const at::Tensor zeros = at::zeros({50}, at::kDouble);
  targets::DiagonalGaussianTarget target(zeros, zeros + 2.5);
  DiagonalGaussian q(zeros + 0.1, zeros - 1.0);
  PsmOptions options = psm_options(Estimator::kAdaptive, Norm::kEuclidean);
  ProximalScoreMatching engine(options, sgd(1e-12), target.layout(), q.mean());
  for (int64_t step = 0; step < 4000; ++step) engine.step(target, q, info_of(step));
  params::StateDict state;
  engine.save(state, target.layout());
  const double bias = 1 - std::pow(options.curvature_decay, 4000);
  const at::Tensor curvature = state.tensor("psm.curvature.theta") / bias;
  EXPECT_NEAR(curvature.mean().item<double>(), 2.5, 0.05);
  EXPECT_EQ(state.get_int("psm.curvature_steps"), 4000);
}

}  // namespace
}  // namespace scorevi::test
