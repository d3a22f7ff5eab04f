// Points in a diagonal Gaussian: coordinates without a standard deviation, which every engine moves as under MAP.
#include <cmath>
#include <map>

#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;
using kernels::Estimator;

using Make = std::function<std::unique_ptr<Engine>(const params::FlatLayout&, const at::Tensor& like)>;

template <class Method, class Options>
Make made_with(const Options& options, const optim::OptimizerOptions& optimizer) {
  return [=](const params::FlatLayout& layout, const at::Tensor& like) {
    return std::make_unique<Method>(options, optimizer, layout, like);
  };
}

Make psm(const optim::OptimizerOptions& optimizer, Estimator estimator, int64_t inner, int64_t samples) {
  PsmOptions options;
  options.estimator = estimator;
  options.inner_steps = inner;
  options.samples = samples;
  return made_with<ProximalScoreMatching>(options, optimizer);
}

Make closed_form(const optim::OptimizerOptions& optimizer, MeanUpdate update) {
  ClosedFormOptions options;
  options.mean_update = update;
  options.points = true;
  return made_with<ClosedForm>(options, optimizer);
}

Make advi(const optim::OptimizerOptions& optimizer, int64_t samples) {
  AdviOptions options;
  options.samples = samples;
  return made_with<Advi>(options, optimizer);
}

std::map<std::string, Make> engines(const optim::OptimizerOptions& optimizer) {
  return {{"psm", psm(optimizer, Estimator::kAnalytic, 1, 1)},
          {"psm_sampled_inner_3_samples_2", psm(optimizer, Estimator::kSampled, 3, 2)},
          {"psm_adaptive_inner_2", psm(optimizer, Estimator::kAdaptive, 2, 1)},
          {"closed_form_newton", closed_form(optimizer, MeanUpdate::kNewton)},
          {"closed_form_optimizer", closed_form(optimizer, MeanUpdate::kOptimizer)},
          {"advi", advi(optimizer, 1)},
          {"advi_samples_2", advi(optimizer, 2)}};
}

targets::DiagonalGaussianTarget smooth_target(int64_t n) {
  const at::Tensor ramp = at::linspace(0.5, 2.0, n, at::TensorOptions(at::kFloat));
  targets::DiagonalGaussianTarget target(ramp, 1 / ramp);
  target.set_prior(3.0);
  return target;
}

// Where all coordinates are points, the score is taken at the mean itself and the update is the kernel of MAP: no bit
// differs.
TEST(Points, AllPointsAreMap) {
  for (const auto& optimizer : {sgd(0.05, 0.9), adam(1e-2), adamw(1e-2)}) {
    for (const auto& [name, make] : engines(optimizer)) {
      SCOPED_TRACE(name + " with " + optimizer.name);
      auto target = smooth_target(1000);
      const at::Tensor start = at::full_like(target.point(), 0.1);
      DiagonalGaussian q(start.clone(), at::full_like(start, -1.0));
      q.set_points({{0, 1000}});
      variational::PointMass point(start.clone());
      const auto engine = make(target.layout(), start);
      Map map(optimizer, target.layout(), start);
      for (int64_t step = 0; step < 7; ++step) {
        const StepStats stats = engine->step(target, q, info_of(step)),
                        expected = map.step(target, point, info_of(step));
        ASSERT_EQ(stats.status, StepStatus::kOk);
        EXPECT_EQ(stats.gradient_norm, expected.gradient_norm);
        EXPECT_EQ(stats.log_density, expected.log_density);
        EXPECT_EQ(stats.kl, 0);
        EXPECT_TRUE(std::isnan(stats.sigma_min) && std::isnan(stats.sigma_mean) && std::isnan(stats.sigma_max));
        const bool matches_scores = name.rfind("psm", 0) == 0;
        EXPECT_EQ(stats.loss, matches_scores ? 0 : expected.loss);
      }
      expect_equal(q.mean(), point.mean());
      EXPECT_TRUE((q.log_std() == variational::kPointLogStd).all().item<bool>());
    }
  }
}

// Five coordinates that a target couples; the second and the last are points, in both groups of the prior.
class MixedPoints : public ::testing::Test {
 protected:
  static constexpr double kRate = 1e-3, kScale = 0.25;

  MixedPoints()
      : q_(vec({0.5, -1.1, 0.9, 0.2, -0.4}), vec({-1.0, 0.0, -0.3, -1.4, 0.0})),
        target_(q_.mean(), [this](const at::Tensor& theta, int64_t) {
          theta_ = theta.clone();
          return Evaluation{log_density(theta).item<double>(), -theta.pow(3) - theta.sum(), 0};
        }) {
    q_.set_points({{1, 2}, {4, 5}});
    target_.has_prior = true;
    target_.gaussian_prior.groups = {{{0, 3}, 0.8}, {{3, 5}, 1.3}};
    target_.gaussian_prior.mean = vec({0.3, -0.2, 0.1, 0.4, 0.6});
    target_.scale = kScale;
  }

  static at::Tensor log_density(const at::Tensor& theta) { return -theta.pow(4).sum() / 4 - theta.sum().square() / 2; }
  static at::Tensor is_point() { return at::tensor({0, 1, 0, 0, 1}).to(at::kBool); }
  static at::Tensor prior_std() { return vec({0.8, 0.8, 0.8, 1.3, 1.3}); }
  static at::Tensor of_gaussians(const at::Tensor& values) { return values.masked_select(is_point().logical_not()); }
  static at::Tensor of_points(const at::Tensor& values) { return values.masked_select(is_point()); }
  // Of the points at the theta that was seen.
  at::Tensor map_gradient(const at::Tensor& mean) const {
    const at::Tensor score = -theta_.pow(3) - theta_.sum();
    const at::Tensor prior = (mean - target_.gaussian_prior.mean) / prior_std().square();
    return of_points((prior - score) * kScale);
  }
  // What a step with plain descent took from the buffer.
  static at::Tensor moved(const at::Tensor& before, const at::Tensor& after) { return (before - after) / kRate; }

  struct Objective {
    at::Tensor value, mean_gradient, log_std_gradient, kl;
  };
  // -ELBO of the Gaussians, of which the points are parameters with a prior, by automatic differentiation.
  Objective objective() const {
    at::Tensor m = q_.mean().clone().requires_grad_(true), rho = q_.log_std().clone().requires_grad_(true);
    const at::Tensor sigma = rho.exp(), std = prior_std();
    const at::Tensor distance = (m - target_.gaussian_prior.mean) / std;
    const at::Tensor kl = of_gaussians(std.log() - rho + ((sigma / std).square() + distance.square() - 1) / 2).sum();
    const at::Tensor log_prior =
        of_points(-distance.square() / 2 - std.log() - 0.5 * std::log(2 * std::acos(-1.0))).sum();
    const at::Tensor value = kScale * (kl - log_density(m + sigma * noise(m, 7, 0)) - log_prior);
    value.backward();
    return {value.detach(), m.grad(), rho.grad(), kl.detach()};
  }

  DiagonalGaussian q_;
  FunctionTarget target_;
  at::Tensor theta_;  // of the last evaluation
};

TEST_F(MixedPoints, AdviFollowsTheGradientOfItsObjective) {
  const Objective expected = objective();
  const DiagonalGaussian before = copy(q_);
  Advi engine({}, sgd(kRate), target_.layout(), q_.mean());
  const StepStats stats = engine.step(target_, q_, info_of(0));
  expect_near(moved(before.mean(), q_.mean()), expected.mean_gradient, 1e-10);
  expect_near(of_gaussians(moved(before.log_std(), q_.log_std())), of_gaussians(expected.log_std_gradient), 1e-10);
  expect_equal(of_points(q_.log_std()), of_points(before.log_std()));
  EXPECT_NEAR(stats.loss, expected.value.item<double>(), 1e-12);
  EXPECT_NEAR(stats.kl, expected.kl.item<double>(), 1e-12);
  EXPECT_NEAR(stats.sigma_mean, of_gaussians(q_.log_std()).exp().mean().item<double>(), 1e-12);
  EXPECT_NEAR(stats.sigma_min, of_gaussians(q_.log_std()).min().exp().item<double>(), 1e-12);
}

// At q = q_t the analytic gradient is that of ADVI times 2/sigma^2 and 4/sigma^2; points have that of ADVI.
TEST_F(MixedPoints, PsmFollowsBothGradients) {
  const Objective expected = objective();
  const DiagonalGaussian before = copy(q_);
  ProximalScoreMatching engine({}, sgd(kRate), target_.layout(), q_.mean());
  const StepStats stats = engine.step(target_, q_, info_of(0));
  const at::Tensor precision = of_gaussians((before.log_std() * -2).exp());
  const at::Tensor mean = moved(before.mean(), q_.mean());
  expect_near(of_points(mean), of_points(expected.mean_gradient), 1e-10);
  expect_near(of_gaussians(mean), 2 * precision * of_gaussians(expected.mean_gradient), 1e-10);
  expect_near(of_gaussians(moved(before.log_std(), q_.log_std())),
              4 * precision * of_gaussians(expected.log_std_gradient), 1e-10);
  EXPECT_TRUE(std::isfinite(stats.matching));
}

// Gaussians are drawn from the frozen copy, points are where they are.
TEST_F(MixedPoints, InnerStepsSeeThePointsWhereTheyAre) {
  for (const int64_t samples : {1, 2}) {
    PsmOptions options;
    options.inner_steps = 3;
    options.samples = samples;
    ProximalScoreMatching engine(options, sgd(kRate), target_.layout(), q_.mean());
    const DiagonalGaussian frozen = copy(q_);
    engine.step(target_, q_, info_of(0));
    for (int64_t step = 1; step < 3; ++step) {
      const DiagonalGaussian before = copy(q_);
      const StepStats stats = engine.step(target_, q_, info_of(step));
      EXPECT_TRUE(std::isfinite(stats.matching) && std::isfinite(stats.proximal));
      expect_equal(of_points(theta_), of_points(before.mean()));
      const at::Tensor eps = noise(q_.mean(), 7, step, static_cast<uint32_t>(samples - 1));
      expect_near(of_gaussians(theta_), of_gaussians(frozen.mean() + frozen.log_std().exp() * eps), 1e-12);
      if (samples == 1) expect_near(of_points(moved(before.mean(), q_.mean())), map_gradient(before.mean()), 1e-10);
    }
  }
}

TEST_F(MixedPoints, ClosedFormSolvesForTheGaussiansAlone) {
  for (const MeanUpdate update : {MeanUpdate::kNewton, MeanUpdate::kOptimizer}) {
    const DiagonalGaussian before = copy(q_);
    const auto engine = closed_form(sgd(kRate), update)(target_.layout(), q_.mean());
    const StepStats stats = engine->step(target_, q_, info_of(0));
    const at::Tensor precision = 1 / prior_std().square(), sigma = before.log_std().exp(), eps = noise(sigma, 7, 0);
    const at::Tensor score = -theta_.pow(3) - theta_.sum();
    const at::Tensor g = score - precision * (before.mean() - target_.gaussian_prior.mean);
    const at::Tensor excess = -(score * eps - precision * sigma) * sigma - 1;
    const ClosedFormOptions defaults;
    const at::Tensor factor = 1 + defaults.beta * excess + (defaults.beta * excess).square() / 2;
    expect_near(of_gaussians(q_.log_std()), of_gaussians(before.log_std() - factor.log() / 2), 1e-12);
    const bool newton = update == MeanUpdate::kNewton;
    const at::Tensor step = newton ? defaults.mean_step * g * sigma.square() / factor : kRate * kScale * g;
    expect_near(of_gaussians(q_.mean()), of_gaussians(before.mean() + step), 1e-12);
    expect_near(of_points(moved(before.mean(), q_.mean())), map_gradient(before.mean()), 1e-9);
    EXPECT_NEAR(stats.sigma_max, of_gaussians(q_.log_std()).max().exp().item<double>(), 1e-12);
  }
}

TEST_F(MixedPoints, TheLimitsAreForGaussians) {
  q_.set_points({{0, 2}, {4, 5}});
  AdviOptions options;
  options.max_log_std = -0.5;
  Advi engine(options, sgd(kRate), target_.layout(), q_.mean());
  const StepStats stats = engine.step(target_, q_, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kDiverged);
  EXPECT_EQ(stats.bad_index, 2);
}

TEST_F(MixedPoints, ResumeIsBitEqual) {
  const DiagonalGaussian start = copy(q_);
  for (const auto& [name, make] : engines(adam(1e-2))) {
    SCOPED_TRACE(name);
    const auto fresh = [&] {
      DiagonalGaussian q = copy(start);
      q.set_points(q_.points());
      return q;
    };
    const auto steps = [&](Engine& engine, DiagonalGaussian& q, int64_t first, int64_t last) {
      for (int64_t step = first; step < last; ++step)
        ASSERT_EQ(engine.step(target_, q, info_of(step, /*total=*/10)).status, StepStatus::kOk);
    };
    DiagonalGaussian whole = fresh(), resumed = fresh();
    const auto first = make(target_.layout(), whole.mean()), second = make(target_.layout(), whole.mean());
    steps(*first, whole, 0, 4);
    params::StateDict state;
    first->save(state, target_.layout());
    whole.save(state, target_.layout());
    for (auto& [tensor_name, tensor] : state.tensors) tensor = tensor.clone();
    steps(*first, whole, 4, 9);
    resumed.load(state, target_.layout());
    second->load(state, target_.layout());
    steps(*second, resumed, 4, 9);
    expect_equal(resumed.mean(), whole.mean());
    expect_equal(resumed.log_std(), whole.log_std());
  }
}

}  // namespace
}  // namespace scorevi::test
