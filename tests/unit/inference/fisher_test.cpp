// fisher: its gradients against automatic differentiation through the draw, and where it ends.
#include <cmath>

#include "scorevi/inference/fisher.h"
#include "scorevi/inference/registry.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

// log p = -theta^T A theta / 2 - sum cos(theta), or without the cosine N(0, A^-1), with its Hessian.
class CurvedTarget final : public LogDensity {
 public:
  CurvedTarget(at::Tensor a, bool bent)
      : a_(std::move(a)),
        bent_(bent),
        layout_(params::FlatLayout::single(a_.size(0))),
        point_(at::zeros({a_.size(0)}, a_.options())) {}
  int64_t dim() const override { return layout_.dim(); }
  const params::FlatLayout& layout() const override { return layout_; }
  at::Tensor point() override { return point_; }
  const GaussianPrior* prior() const override { return has_prior ? &gaussian_prior : nullptr; }
  double loss_scale() const override { return 0.25; }
  Evaluation evaluate(const at::Tensor& theta) override { return {-1.0, score(theta), 0}; }
  bool has_hessian_product() const override { return true; }
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override {
    return bent_ ? -a_.mv(v) + theta.cos() * v : -a_.mv(v);
  }
  at::Tensor score(const at::Tensor& theta) const { return bent_ ? -a_.mv(theta) + theta.sin() : -a_.mv(theta); }

  bool has_prior = false;
  GaussianPrior gaussian_prior;

 private:
  at::Tensor a_;
  bool bent_;
  params::FlatLayout layout_;
  at::Tensor point_;
};

at::Tensor curvature() { return mat(Json({{2.0, 0.5, 0.1}, {0.5, 1.5, -0.3}, {0.1, -0.3, 1.0}})); }

GaussianOptions options_of(int64_t samples) {
  GaussianOptions options;
  options.samples = samples;
  return options;
}

TEST(Fisher, GradientsAreThoseOfTheLossThroughTheDraw) {
  for (const int64_t samples : {1, 3}) {
    for (const bool with_prior : {false, true}) {
      CurvedTarget target(curvature(), /*bent=*/true);
      target.has_prior = with_prior;
      target.gaussian_prior.groups = {{{0, 2}, 0.7}, {{2, 3}, std::numeric_limits<double>::infinity()}};
      target.gaussian_prior.mean = vec({0.4, -0.3, 8.0});
      const at::Tensor precision = vec({1.0, 1.0, 0.0}) / 0.49 * (with_prior ? 1 : 0);
      const DiagonalGaussian start(vec({0.5, -1.1, 0.9}), vec({-1.0, -0.6, 0.3}));
      DiagonalGaussian q = copy(start);
      Fisher engine(options_of(samples), sgd(1e-3), target.layout(), q.mean());
      const StepStats stats = engine.step(target, q, info_of(2));

      at::Tensor m = start.mean().clone().requires_grad_(true), rho = start.log_std().clone().requires_grad_(true);
      at::Tensor loss = at::zeros({}, at::kDouble);
      for (uint32_t i = 0; i < samples; ++i) {
        const at::Tensor eps = noise(m.detach(), 7, 2, i), theta = m + rho.exp() * eps;
        const at::Tensor own = -(theta - m) / (rho * 2).exp();
        const at::Tensor score = target.score(theta) - precision * (theta - target.gaussian_prior.mean);
        loss = loss + (own - score).square().sum() / samples;
      }
      loss.backward();
      expect_near((start.mean() - q.mean()) / 1e-3, m.grad() * 0.25, 1e-10);
      expect_near((start.log_std() - q.log_std()) / 1e-3, rho.grad() * 0.25, 1e-10);
      EXPECT_NEAR(stats.matching, loss.item<double>(), 1e-12 * stats.matching);
      EXPECT_DOUBLE_EQ(stats.loss, 0.25 * stats.matching);
      EXPECT_NEAR(stats.gradient_norm, 0.25 * at::cat({m.grad(), rho.grad()}).norm().item<double>(), 1e-10);
      EXPECT_EQ(stats.evaluations, 3 * samples);
      EXPECT_NEAR(stats.sigma_min, q.log_std().exp().min().item<double>(), 1e-14);
    }
  }
}

// E|r|^2 = sum_j 1/sigma_j^2 - 2 A_jj + sum_i A_ij^2 sigma_j^2 at the mean: least at sigma_j^2 = 1/|A e_j|.
TEST(Fisher, EndsAtTheMinimumOfTheFisherDivergence) {
  CurvedTarget target(curvature(), /*bent=*/false);
  DiagonalGaussian q(vec({1.0, -1.0, 0.5}), vec({-0.5, 0.1, 0.3}));
  Fisher engine(options_of(4), adam(0.05), target.layout(), q.mean());
  for (int64_t step = 0; step < 3000; ++step) {
    StepInfo info = info_of(step);
    info.lr_factor = std::pow(0.001, static_cast<double>(step) / 3000);
    ASSERT_EQ(engine.step(target, q, info).status, StepStatus::kOk);
  }
  EXPECT_LT(q.mean().abs().max().item<double>(), 0.02);
  expect_near(q.log_std().exp(), curvature().norm(2, /*dim=*/0).pow(-0.5), 0.03);
}

TEST(Fisher, ClipsByTheNormOfBothGradients) {
  CurvedTarget target(curvature(), /*bent=*/true);
  const DiagonalGaussian start(vec({0.5, -1.1, 0.9}), vec({-1.0, -0.6, 0.3}));
  DiagonalGaussian plain = copy(start), clipped = copy(start);
  const double norm =
      Fisher(options_of(1), sgd(1e-3), target.layout(), start.mean()).step(target, plain, info_of(0)).gradient_norm;
  optim::OptimizerOptions limited = sgd(1e-3);
  limited.clip_norm = norm / 2;
  Fisher(options_of(1), limited, target.layout(), start.mean()).step(target, clipped, info_of(0));
  expect_near((start.mean() - clipped.mean()) * 2, start.mean() - plain.mean(), 1e-5);
  expect_near((start.log_std() - clipped.log_std()) * 2, start.log_std() - plain.log_std(), 1e-5);
}

TEST(Fisher, RefusesATargetWithoutHessianProducts) {
  FunctionTarget target(at::zeros({2}, at::kDouble), [](const at::Tensor& theta, int64_t) {
    return Evaluation{0.0, -theta, 0};
  });
  DiagonalGaussian q = DiagonalGaussian::from_mean(target.point(), 1);
  Fisher engine(options_of(1), sgd(1e-3), target.layout(), q.mean());
  const std::string reason = "method fisher: needs Hessian products, got a target that has none; use another method";
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { engine.step(target, q, info_of(0)); }), reason);
  EXPECT_EQ(message_of(ErrorKind::kUsage, [&] { check_target("fisher", target); }), reason);
  check_target("advi", target);
  EXPECT_THROW(target.hessian_product(target.point(), target.point()), InternalError);
}

TEST(Registry, MethodsTellWhatTheyNeed) {
  std::map<std::string, std::string> needs;
  for (const MethodInfo& method : methods()) needs[method.name] = describe_needs(method);
  EXPECT_EQ(needs["map"], "mini-batch scores");
  EXPECT_EQ(needs["fisher"], "exact scores, Hessian products");
  EXPECT_EQ(needs["gsm"], "exact scores, 5 matrices of D x D doubles (full_gaussian)");
}

TEST(Registry, AsksForMatricesUpFront) {
  EXPECT_EQ(matrix_bytes("bam", "diagonal_gaussian", 100000), 0);
  EXPECT_EQ(matrix_bytes("gsm", "full_gaussian", 1000), 5 * 8e6);
  check_matrices("gsm", "full_gaussian", 1000, 40000000);
  check_matrices("gsm", "full_gaussian", 1000, -1);
  EXPECT_EQ(message_of(ErrorKind::kRuntime, [] { check_matrices("gsm", "full_gaussian", 1000000, 8LL << 30); }),
            "method gsm: needs about 36.4 TiB for 5 matrices of D x D doubles (D = 1000000), got 8.0 GiB free; use "
            "posterior.family diagonal_gaussian where the method has it");
}

}  // namespace
}  // namespace scorevi::test
