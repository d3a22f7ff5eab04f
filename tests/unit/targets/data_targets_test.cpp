// Targets with generated data, their mini-batches, and Hessian products.
#include <cmath>
#include <numeric>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/targets/gaussian.h"
#include "scorevi/targets/logistic_regression.h"
#include "scorevi/targets/mlp_regression.h"
#include "scorevi/targets/registry.h"
#include "scorevi/targets/row_batches.h"
#include "scorevi/targets/student_t.h"
#include "support/error_of.h"
#include "support/finite_difference.h"
#include "unit/inference/tools.h"

namespace scorevi::targets {
namespace {

using test::vec;

TEST(RowBatches, EveryPassTakesEveryRowOnce) {
  RowBatches batches(10, 0.3);  // 3, 3, 3, 1
  EXPECT_TRUE(batches.partial());
  for (int64_t pass = 0; pass < 3; ++pass) {
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 4; ++i) {
      const std::vector<int64_t> rows = batches.rows_of(/*seed=*/1, 4 * pass + i);
      EXPECT_EQ(rows.size(), i == 3 ? 1u : 3u);
      seen.insert(rows.begin(), rows.end());
    }
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_EQ(*seen.rbegin(), 9);
  }
}

TEST(RowBatches, AreAFunctionOfSeedAndStep) {
  RowBatches forwards(100, 0.1);
  RowBatches elsewhere(100, 0.1);
  for (const int64_t step : {25, 3, 17, 3}) {
    const std::vector<int64_t> expected = RowBatches(100, 0.1).rows_of(/*seed=*/4, step);
    elsewhere.rows_of(/*seed=*/5, step);
    EXPECT_EQ(forwards.rows_of(/*seed=*/4, step), expected);
    EXPECT_EQ(elsewhere.rows_of(/*seed=*/4, step), expected);
    EXPECT_NE(elsewhere.rows_of(/*seed=*/5, step), expected);
  }
  EXPECT_NE(forwards.rows_of(4, 3), forwards.rows_of(4, 13));  // the next pass has another order
  EXPECT_FALSE(RowBatches(100, 1).partial());
  EXPECT_EQ(RowBatches(100, 1e-9).rows_of(0, 0).size(), 1u);
}

TargetOptions options_of(const std::string& name, double batch_frac = 1) {
  TargetOptions options;
  options.name = name;
  options.dim = 5;
  options.hidden = 4;
  options.seed = 2;
  options.batch_frac = batch_frac;
  return options;
}

// The mean over the batches of a pass, weighed by their rows, is the evaluation of all rows.
void expect_batches_average_to_all(const std::string& name) {
  const KnownTarget all = make_target(options_of(name));
  const KnownTarget part = make_target(options_of(name, /*batch_frac=*/0.3));
  const at::Tensor theta = 0.5 * test::noise(all.density->point(), /*seed=*/1, /*step=*/0);
  const inference::Evaluation expected = all.density->evaluate(theta);
  double value = 0;
  int64_t rows = 0;
  at::Tensor score = at::zeros_like(theta);
  for (int64_t step = 0; rows < expected.data_used; ++step) {
    part.density->begin_step(/*seed=*/7, step);
    const inference::Evaluation evaluation = part.density->evaluate(theta);
    test::expect_score_is_derivative(*part.density, theta, 1e-6);
    EXPECT_LT(evaluation.data_used, expected.data_used);
    const double share = static_cast<double>(evaluation.data_used) / static_cast<double>(expected.data_used);
    rows += evaluation.data_used;
    value += share * evaluation.log_density;
    score += share * part.density->evaluate(theta).score;
  }
  EXPECT_EQ(rows, expected.data_used);
  EXPECT_NEAR(value, expected.log_density, 1e-10 * std::abs(expected.log_density));
  test::expect_near(score, all.density->evaluate(theta).score, 1e-10);
}

TEST(LogisticTarget, BatchesAverageToAllRows) { expect_batches_average_to_all("logistic_regression"); }
TEST(MlpTarget, BatchesAverageToAllRows) { expect_batches_average_to_all("mlp_regression"); }

TEST(LogisticTarget, IsWhatItsOptionsSay) {
  const KnownTarget target = make_target(options_of("logistic_regression", /*batch_frac=*/0.01));
  EXPECT_EQ(target.name, "logistic_regression_d5_n1000_b0.01_seed2");
  EXPECT_EQ(target.density->dim(), 5);
  EXPECT_EQ(target.density->evaluate(target.density->point()).data_used, 1000);
  target.density->begin_step(/*seed=*/0, /*step=*/0);
  EXPECT_EQ(target.density->evaluate(target.density->point()).data_used, 10);
  ASSERT_NE(target.density->prior(), nullptr);
  EXPECT_EQ(target.density->prior()->groups[0].std, 1);
  EXPECT_FALSE(target.reference.mean.defined());
}

// log N(y | f, s) of one hidden unit and two rows, written out.
TEST(MlpTarget, ValueByHand) {
  MlpRegression target({0.5, -1.0}, {0.3, 0.2}, /*hidden=*/1, /*noise=*/0.4);
  const at::Tensor theta = vec({0.7, -0.2, 1.5, 0.1});
  double expected = 0;
  for (const auto& [x, y] : {std::pair{0.5, 0.3}, std::pair{-1.0, 0.2}}) {
    const double z = (y - (0.1 + 1.5 * std::tanh(0.7 * x - 0.2))) / 0.4;
    expected -= 0.5 * z * z + std::log(0.4) + 0.5 * std::log(2 * std::acos(-1.0));
  }
  EXPECT_NEAR(target.evaluate(theta).log_density, expected, 1e-14);
  EXPECT_EQ(target.layout().element_name(2), "output.weight[0,0]");
}

TEST(MlpTarget, IsWhatItsOptionsSay) {
  TargetOptions options = options_of("mlp_regression");
  const KnownTarget cubic = make_target(options);
  EXPECT_EQ(cubic.name, "mlp_regression_cubic_h4_n20_seed2");
  EXPECT_EQ(cubic.density->dim(), 13);
  EXPECT_EQ(cubic.density->evaluate(cubic.density->point()).data_used, 20);
  ASSERT_EQ(cubic.density->prior()->groups.size(), 3u);
  EXPECT_EQ(cubic.density->prior()->groups[1].std, 0.5);
  // The data have mean 0 and standard deviation 1: at theta = 0 the squares sum to N / noise^2.
  const at::Tensor theta = at::zeros({13}, at::kDouble);
  const double value = cubic.density->evaluate(theta).log_density;
  const at::Tensor hessian = cubic.density->hessian_product(theta, at::eye(13, at::kDouble)[12]);
  const double precision = -hessian[12].item<double>() / 20;
  EXPECT_NEAR(value, 20 * (0.5 * std::log(precision / (2 * std::acos(-1.0))) - precision / 2), 1e-5 * std::abs(value));

  options.curve = "gap";
  options.rows = 30;
  options.prior_std = 2;
  EXPECT_EQ(make_target(options).name, "mlp_regression_gap_h4_n30_p2_seed2");
}

TEST(DataTargets, BadOptionsAreNamed) {
  const auto message = [](TargetOptions options) {
    return test::message_of(ErrorKind::kUsage, [&] { make_target(options); });
  };
  EXPECT_EQ(message(options_of("logistic_regression", 0)), "target.batch_frac: got 0, expected above 0, up to 1");
  EXPECT_EQ(message(options_of("mlp_regression", 1.5)), "target.batch_frac: got 1.5, expected above 0, up to 1");
  TargetOptions options = options_of("mlp_regression");
  options.curve = "line";
  EXPECT_EQ(message(options), "target.curve: got line, expected cubic or gap");
  options = options_of("mlp_regression");
  options.rows = 1;
  EXPECT_EQ(message(options), "target.rows: got 1, expected at least 2");
  options.hidden = 0;
  EXPECT_THAT(message(options), ::testing::StartsWith("target.hidden: got 0"));
  options = options_of("logistic_regression");
  options.prior_std = 0;
  EXPECT_THAT(message(options), ::testing::StartsWith("target.prior_std: got 0"));
  options = options_of("logistic_regression");
  options.dim = 4000;
  options.rows = 1'000'000;
  EXPECT_EQ(message(options), "target.rows: got 1000000, expected at most 25000 with dim 4000");
}

// The product by differences, which every target has.
at::Tensor by_differences(AnalyticTarget& target, const at::Tensor& theta, const at::Tensor& v) {
  return target.AnalyticTarget::hessian_product(theta, v).clone();
}

TEST(HessianProduct, ClosedFormsAgreeWithDifferences) {
  const at::Tensor theta = vec({0.4, -2.0});
  const at::Tensor v = vec({1.5, -0.3});
  DiagonalGaussianTarget diagonal(vec({0.3, -1.2}), vec({2.5, 0.3}));
  test::expect_near(diagonal.hessian_product(theta, v), vec({-3.75, 0.09}), 1e-14);
  test::expect_near(by_differences(diagonal, theta, v), vec({-3.75, 0.09}), 1e-9);
  const at::Tensor precision = at::stack({vec({2.0, 0.7}), vec({0.7, 1.0})});
  GaussianTarget full(vec({0.3, -1.2}), precision);
  test::expect_near(full.hessian_product(theta, v), -precision.mv(v), 1e-14);
  test::expect_near(by_differences(full, theta, v), -precision.mv(v), 1e-9);

  const KnownTarget logistic = make_target(options_of("logistic_regression", /*batch_frac=*/0.1));
  const at::Tensor w = test::noise(logistic.density->point(), /*seed=*/1, /*step=*/0);
  const at::Tensor u = test::noise(logistic.density->point(), /*seed=*/1, /*step=*/1);
  logistic.density->begin_step(/*seed=*/3, /*step=*/5);
  test::expect_near(by_differences(*logistic.density, w, u), logistic.density->hessian_product(w, u), 1e-8);
}

// t: -w P v + 2 (dof + D) / (dof + q)^2 p (p.v) with p = P (theta - mean), w = (dof + D) / (dof + q).
TEST(HessianProduct, ByDifferences) {
  const at::Tensor precision = at::stack({vec({2.0, 0.7}), vec({0.7, 1.0})});
  StudentT target(vec({0.3, -1.2}), precision, /*dof=*/5);
  const at::Tensor theta = vec({0.4, -2.0});
  const at::Tensor v = vec({1.5, -0.3});
  const at::Tensor p = precision.mv(theta - vec({0.3, -1.2}));
  const double q = p.dot(theta - vec({0.3, -1.2})).item<double>();
  const at::Tensor expected = -7 / (5 + q) * precision.mv(v) + 14 / ((5 + q) * (5 + q)) * p * p.dot(v);
  ASSERT_TRUE(target.has_hessian_product());
  test::expect_near(target.hessian_product(theta, v), expected, 1e-9);
  test::expect_near(target.hessian_product(theta, at::zeros({2}, at::kDouble)), at::zeros({2}, at::kDouble), 1e-9);
}

TEST(HessianProduct, NoDifferencesInFloat) {
  const at::Tensor ones = at::ones({1, 2}, at::kFloat);
  GaussianMixture target(ones[0].slice(0, 0, 1), ones, ones);
  EXPECT_FALSE(target.has_hessian_product());
}

}  // namespace
}  // namespace scorevi::targets
