// Every generated target against its own reference: score, normaliser, moments, draws, and what is told about it.
#include "scorevi/targets/registry.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/finite_difference.h"

namespace scorevi::targets {
namespace {

kernels::NoiseKey key_of(int64_t draw) {
  return {/*seed=*/11, static_cast<uint32_t>(draw), /*sample=*/0, Purpose::kTest};
}

at::Tensor draw_of(const KnownTarget& target, int64_t draw) {
  at::Tensor theta = at::empty({target.density->dim()}, at::kDouble);
  target.sample(key_of(draw), theta);
  return theta;
}

TargetOptions options_of(const std::string& name, int64_t dim, uint64_t seed = 0) {
  TargetOptions options;
  options.name = name;
  options.dim = dim;
  options.seed = seed;
  return options;
}

// One or two of each kind, of moderate tails so that fourth moments exist.
std::vector<TargetOptions> samples(int64_t dim) {
  std::vector<TargetOptions> all;
  TargetOptions gaussian = options_of("gaussian", dim, /*seed=*/3);
  gaussian.condition = 50;
  all.push_back(gaussian);
  gaussian.covariance = "random";
  all.push_back(gaussian);
  gaussian.covariance = "stretched";
  gaussian.condition = 2;
  all.push_back(gaussian);
  gaussian.condition = 50;
  gaussian.covariance = "conditioned";
  gaussian.diagonal = true;
  all.push_back(gaussian);
  TargetOptions student = options_of("student_t", dim);
  student.dof = 9;
  student.condition = 4;
  all.push_back(student);
  TargetOptions mixture = options_of("mixture", dim);
  mixture.components = 3;
  mixture.separation = 4;
  mixture.weights = {1, 2, 5};
  all.push_back(mixture);
  TargetOptions banana = options_of("banana", dim);
  banana.curvature = 0.7;
  all.push_back(banana);
  TargetOptions funnel = options_of("funnel", dim);
  funnel.scale = 0.8;
  all.push_back(funnel);
  TargetOptions bent = options_of("sinh_arcsinh", dim, /*seed=*/1);
  bent.skew = 0.4;
  bent.tail = 1.1;
  all.push_back(bent);
  bent.form = "joint";
  all.push_back(bent);
  return all;
}

TEST(Targets, ScoreIsTheDerivative) {
  for (const int64_t dim : {2, 6}) {
    for (const TargetOptions& options : samples(dim)) {
      const KnownTarget target = make_target(options);
      SCOPED_TRACE(target.name);
      for (int64_t draw = 0; draw < 5; ++draw)
        test::expect_score_is_derivative(*target.density, draw_of(target, draw), 1e-7,
                                         0.2 * at::ones({dim}, at::kDouble));
    }
  }
}

// Integrals of f(theta) pi(theta) over the plane for f = 1, theta - mean, (theta - mean)^T (theta - mean), with
// theta_j = mean_j + sinh(w_j) and the trapezoidal rule in w.
struct Integrals {
  double one = 0;
  double first[2] = {}, second[3] = {};
};

Integrals integrate(const KnownTarget& target, double step) {
  Integrals result;
  const at::Tensor theta = target.density->point();
  auto* x = theta.mutable_data_ptr<double>();
  const double mean[] = {target.reference.mean[0].item<double>(), target.reference.mean[1].item<double>()};
  for (double v = -8; v <= 8; v += step) {
    for (double w = -8; w <= 8; w += step) {
      const double a = std::sinh(v), b = std::sinh(w);
      x[0] = mean[0] + a;
      x[1] = mean[1] + b;
      const double weight =
          step * step * std::exp(target.density->evaluate(theta).log_density) * std::cosh(v) * std::cosh(w);
      result.one += weight;
      result.first[0] += a * weight;
      result.first[1] += b * weight;
      result.second[0] += a * a * weight;
      result.second[1] += a * b * weight;
      result.second[2] += b * b * weight;
    }
  }
  return result;
}

TEST(Targets, ReferenceIsTheIntegral) {
  for (const TargetOptions& options : samples(2)) {
    const KnownTarget target = make_target(options);
    SCOPED_TRACE(target.name);
    const Integrals integrals = integrate(target, 0.05);
    EXPECT_NEAR(std::log(integrals.one), target.reference.log_normaliser, 1e-6);
    const at::Tensor covariance = target.reference.covariance;
    const double largest = covariance.abs().max().item<double>();
    EXPECT_NEAR(integrals.first[0] / integrals.one, 0, 1e-6 * std::sqrt(largest));
    EXPECT_NEAR(integrals.first[1] / integrals.one, 0, 1e-6 * std::sqrt(largest));
    EXPECT_NEAR(integrals.second[0] / integrals.one, covariance[0][0].item<double>(), 1e-5 * largest);
    EXPECT_NEAR(integrals.second[1] / integrals.one, covariance[0][1].item<double>(), 1e-5 * largest);
    EXPECT_NEAR(integrals.second[2] / integrals.one, covariance[1][1].item<double>(), 1e-5 * largest);
  }
}

// |estimate - expected| in standard errors of the mean of `values` [n, ...].
double worst_z(const at::Tensor& values, const at::Tensor& expected) {
  const auto n = static_cast<double>(values.size(0));
  const at::Tensor error = values.std(/*dim=*/0, /*unbiased=*/true) / std::sqrt(n);
  return ((values.mean(0) - expected) / (error + 1e-300)).abs().max().item<double>();
}

TEST(Targets, DrawsHaveTheMomentsOfTheReference) {
  constexpr int64_t kDraws = 20000;
  for (const TargetOptions& options : samples(4)) {
    const KnownTarget target = make_target(options);
    SCOPED_TRACE(target.name);
    at::Tensor draws = at::empty({kDraws, 4}, at::kDouble);
    at::Tensor scores = at::empty_like(draws);
    for (int64_t i = 0; i < kDraws; ++i) {
      target.sample(key_of(i), draws[i]);
      scores[i].copy_(target.density->evaluate(draws[i]).score);
    }
    const Reference& reference = target.reference;
    const at::Tensor centred = draws - reference.mean;
    const at::Tensor products = centred.unsqueeze(2) * centred.unsqueeze(1);
    EXPECT_LT(worst_z(draws, reference.mean), 4.5);
    EXPECT_LT(worst_z(products, reference.covariance), 4.5);
    EXPECT_TRUE(at::allclose(reference.sd.square(), reference.covariance.diagonal(), 1e-12, 0));
    // Stein's identities tie the density to the draws: E score = 0, E score (theta - mean)^T = -I.
    EXPECT_LT(worst_z(scores, at::zeros({4}, at::kDouble)), 4.5);
    EXPECT_LT(worst_z(scores.unsqueeze(2) * centred.unsqueeze(1), -at::eye(4, at::kDouble)), 4.5);
    EXPECT_FALSE(reference.mean_error.defined());
  }
}

TEST(Targets, DrawsAreAFunctionOfTheKey) {
  for (const TargetOptions& options : samples(4)) {
    const KnownTarget one = make_target(options);
    const KnownTarget other = make_target(options);
    EXPECT_TRUE(at::equal(draw_of(one, 3), draw_of(other, 3))) << one.name;
    EXPECT_FALSE(at::equal(draw_of(one, 3), draw_of(one, 4))) << one.name;
  }
}

TEST(Targets, NamesTellTheTarget) {
  std::vector<std::string> names;
  for (const TargetOptions& options : samples(4)) names.push_back(make_target(options).name);
  EXPECT_THAT(names, ::testing::ElementsAre("gaussian_d4_c50_seed3", "gaussian_random_d4_seed3",
                                            "gaussian_stretched_d4_c2_seed3", "gaussian_diagonal_d4_c50_seed3",
                                            "student_t_nu9_d4_c4", "mixture_d4_k3_sep4_w1-2-5", "banana_d4_b0.7_w0.5",
                                            "funnel_d4_s0.8", "sinh_arcsinh_d4_s0.4_t1.1_seed1",
                                            "sinh_arcsinh_joint_d4_s0.4_t1.1_seed1"));
}

TEST(Targets, GaussianSpectra) {
  TargetOptions options = options_of("gaussian", 12);
  options.condition = 1e4;
  const auto eigenvalues = [](const KnownTarget& target) { return at::linalg_eigvalsh(target.reference.covariance); };
  const at::Tensor conditioned = eigenvalues(make_target(options));
  EXPECT_NEAR(conditioned[0].item<double>(), 1e-2, 1e-10);
  EXPECT_NEAR(conditioned[11].item<double>(), 1e2, 1e-10);
  EXPECT_NEAR(conditioned.log().mean().item<double>(), 0, 1e-10);

  options.covariance = "random";
  const at::Tensor random = eigenvalues(make_target(options));
  EXPECT_GE(random[0].item<double>(), 0.01);
  options.covariance = "stretched";
  const at::Tensor stretched = eigenvalues(make_target(options));
  EXPECT_NEAR(stretched[0].item<double>(), 0.1, 1e-8);
  EXPECT_NEAR(stretched[10].item<double>() / 0.1, (random[10] / random[0]).item<double>(), 1e-4);
  EXPECT_NEAR(stretched[11].item<double>() / 0.1, 1e4 * (random[11] / random[0]).item<double>(), 1);

  options = options_of("gaussian", 100'000);
  options.diagonal = true;
  options.condition = 1e4;
  const KnownTarget diagonal = make_target(options);
  EXPECT_FALSE(diagonal.reference.covariance.defined());
  EXPECT_TRUE(diagonal.reference.gaussian);
  EXPECT_NEAR((diagonal.reference.sd[99'999] / diagonal.reference.sd[0]).item<double>(), 100, 1e-9);
  const at::Tensor theta = draw_of(diagonal, 0);
  EXPECT_NEAR(((theta - diagonal.reference.mean) / diagonal.reference.sd).std().item<double>(), 1, 0.01);
}

TEST(Targets, MixtureModes) {
  TargetOptions options = options_of("mixture", 5);
  options.components = 4;
  options.separation = 6;
  const KnownTarget square = make_target(options);
  ASSERT_EQ(square.modes.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR((square.modes[i] - square.modes[(i + 1) % 4]).norm().item<double>(), 6, 1e-12);
  EXPECT_NEAR(square.mode_weights.sum().item<double>(), 1, 1e-15);
  EXPECT_FALSE(square.reference.gaussian);

  options.dim = 1;
  options.components = 3;
  const KnownTarget line = make_target(options);
  EXPECT_NEAR(line.modes[0].item<double>(), -6, 1e-12);
  EXPECT_NEAR(line.modes[2].item<double>(), 6, 1e-12);

  options.components = 1;
  EXPECT_TRUE(make_target(options).modes.empty());
  EXPECT_TRUE(make_target(options).reference.gaussian);
}

TEST(Targets, MomentsThatDoNotExistAreUndefined) {
  TargetOptions options = options_of("student_t", 3);
  options.dof = 1.5;
  const Reference cauchy_like = make_target(options).reference;
  EXPECT_TRUE(cauchy_like.mean.defined());
  EXPECT_FALSE(cauchy_like.sd.defined());
  options.dof = 0.7;
  EXPECT_FALSE(make_target(options).reference.mean.defined());
}

// Half of the draws of a Cauchy distribution lie within one scale of the centre; the Gamma(1/2) draws behind it use
// the rule for shapes below 1.
TEST(Targets, StudentTDrawsWithFewDegreesOfFreedom) {
  TargetOptions options = options_of("student_t", 1);
  options.dof = 1;
  const KnownTarget target = make_target(options);
  const double middle = make_target(options_of("gaussian", 1)).reference.mean.item<double>();  // of the same seed
  int inside = 0;
  for (int64_t i = 0; i < 20000; ++i) inside += std::abs(draw_of(target, i).item<double>() - middle) < 1;
  EXPECT_NEAR(inside / 20000.0, 0.5, 5 * 0.5 / std::sqrt(20000.0));
}

struct BadOption {
  TargetOptions options;
  std::string message;
};

TEST(Targets, BadOptionsAreNamed) {
  std::vector<BadOption> cases;
  const auto add = [&](TargetOptions options, auto change, const std::string& message) {
    change(options);
    cases.push_back({options, message});
  };
  using O = TargetOptions;
  add(
      options_of("gausian", 2), [](O&) {}, "target.name: unknown name, got \"gausian\"");
  add(
      options_of("gaussian", 0), [](O&) {}, "target.dim: got 0, expected 1 to 4096");
  add(
      options_of("gaussian", 4097), [](O&) {}, "target.dim: got 4097, expected 1 to 4096");
  add(
      options_of("gaussian", 2), [](O& o) { o.condition = 0.5; }, "target.condition: got 0.5, expected 1 to 1e12");
  add(
      options_of("gaussian", 2), [](O& o) { o.condition = std::nan(""); }, "target.condition: got nan");
  add(
      options_of("gaussian", 2), [](O& o) { o.covariance = "full"; },
      "target.covariance: got full, expected conditioned");
  add(
      options_of("gaussian", 2),
      [](O& o) {
        o.covariance = "random";
        o.diagonal = true;
      },
      "target.covariance: got random, expected conditioned where diagonal is true");
  add(
      options_of("student_t", 2), [](O& o) { o.dof = 0; }, "target.dof: got 0, expected a finite number above 0");
  add(
      options_of("mixture", 2), [](O& o) { o.components = 0; }, "target.components: got 0");
  add(
      options_of("mixture", 2), [](O& o) { o.weights = {1}; },
      "target.weights: got 1 of them, expected one per component: 2");
  add(
      options_of("mixture", 2),
      [](O& o) {
        o.weights = {1, -1};
      },
      "target.weights: got -1");
  add(
      options_of("banana", 3), [](O&) {}, "target.dim: got 3, expected an even number");
  add(
      options_of("banana", 2), [](O& o) { o.width = 0; }, "target.width: got 0");
  add(
      options_of("funnel", 1), [](O&) {}, "target.dim: got 1, expected 2 to 4096");
  add(
      options_of("funnel", 2), [](O& o) { o.scale = -1; }, "target.scale: got -1");
  add(
      options_of("sinh_arcsinh", 2), [](O& o) { o.tail = 0; }, "target.tail: got 0, expected 0.05 to 20");
  add(
      options_of("sinh_arcsinh", 2), [](O& o) { o.skew = 11; }, "target.skew: got 11, expected -10 to 10");
  add(
      options_of("sinh_arcsinh", 2), [](O& o) { o.form = "a"; }, "target.form: got a, expected coordinates or joint");
  for (const BadOption& bad : cases)
    EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { make_target(bad.options); }),
                ::testing::StartsWith(bad.message));
}

TEST(Targets, ListSaysWhatEachTakes) {
  for (const TargetInfo& info : targets()) {
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_FALSE(info.options.empty()) << info.name;
  }
  EXPECT_EQ(targets()[0].name, "gaussian");
}

}  // namespace
}  // namespace scorevi::targets
