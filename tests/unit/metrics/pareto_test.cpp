#include "scorevi/metrics/pareto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "scorevi/core/counter_rng.h"

namespace scorevi::metrics {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

// Uniform numbers of a linear congruential generator, for values computed elsewhere.
std::vector<double> congruential(std::uint64_t state, int n) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) {
    state = (1103515245 * state + 12345) % (1ULL << 31);
    out.push_back(static_cast<double>(state) / 0x1p31);
  }
  return out;
}

double total_weight(const SmoothedWeights& weights) {
  double sum = 0;
  for (double w : weights.log_weights) sum += std::exp(w);
  return sum;
}

// Computed once by ArviZ 0.22 (psislw): weights (1 - u)^-shape.
TEST(Pareto, AgreesWithArviz) {
  const double cases[][6] = {
      {0.3, 1000, 0.5024688929162633, -4.568044245984342, 782.0975053388963, -6.997010742946889},
      {0.9, 1000, 1.0869718462199847, -1.433171558335985, 14.874510897933257, -8.028504859648748},
      {-0.5, 2000, -0.9091535484466353, -7.191814177528424, 1776.7719147547632, -7.645734885544088},
      {1.5, 500, 1.6074954450236443, -0.4218685109572956, 2.2375285666714673, -9.716232340389006}};
  for (const auto& [shape, n, k, largest, ess, first] : cases) {
    std::vector<double> logs = congruential(7, static_cast<int>(n));
    for (double& u : logs) u = 40 - shape * std::log1p(-u);
    const SmoothedWeights smooth = smooth_weights(logs);
    EXPECT_NEAR(smooth.k, k, 1e-7);
    EXPECT_NEAR(*std::max_element(smooth.log_weights.begin(), smooth.log_weights.end()), largest, 1e-9);
    EXPECT_NEAR(smooth.ess, ess, 1e-7 * ess);
    EXPECT_NEAR(smooth.log_weights[0], first, 1e-9);
    EXPECT_NEAR(total_weight(smooth), 1, 1e-12);
  }
}

// Exact draws: the standard error of the estimated shape is about (1 + shape) / sqrt(n), and the weak prior pulls by
// less than that.
TEST(Pareto, ShapeAndScaleOfExactDraws) {
  const int n = 20000;
  for (const double shape : {-0.3, 0.0, 0.2, 0.7, 1.5}) {
    const CounterRng rng(3, Purpose::kTest);
    std::vector<double> values;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double exponential = -std::log(rng.uniform(i));
      values.push_back(2.5 * (shape == 0 ? exponential : std::expm1(shape * exponential) / shape));
    }
    const GeneralisedPareto fit = fit_generalised_pareto(values);
    EXPECT_NEAR(fit.shape, shape, 4 * (1 + shape) / std::sqrt(n));
    EXPECT_NEAR(fit.scale, 2.5, 2.5 * 4 * std::sqrt(2 * (1 + shape) / n));
  }
}

// q = N(0, 1) for N(0, s^2): k tends to 1 - 1/s^2 where s > 1, from below and slowly. The mean of 10 runs against that
// of 40 runs of ArviZ, whose standard deviation was 0.07 to 0.08 for one run.
TEST(Pareto, GaussianProposals) {
  for (const auto& [s, expected] : {std::pair{0.7, -1.763}, {1.3, 0.390}, {2.0, 0.678}, {4.0, 0.852}}) {
    double sum = 0;
    for (std::uint32_t run = 0; run < 10; ++run) {
      const CounterRng rng(4, Purpose::kTest, run);
      std::vector<double> logs;
      for (std::uint64_t i = 0; i < 20000; ++i) {
        const double z = rng.normal(i);
        logs.push_back(0.5 * z * z * (1 - 1 / (s * s)));
      }
      sum += smooth_weights(logs).k;
    }
    EXPECT_NEAR(sum / 10, expected, 0.1) << s;
  }
}

// q is the target: constant weights, exact or up to rounding.
TEST(Pareto, ConstantWeights) {
  std::vector<double> logs(1000, -3.0);
  const SmoothedWeights exact = smooth_weights(logs);
  EXPECT_EQ(exact.k, -kInfinity);
  EXPECT_NEAR(exact.ess, 1000, 1e-9);
  EXPECT_NEAR(exact.log_weights[5], -std::log(1000.0), 1e-12);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += 1e-13 * static_cast<double>(i % 7);
  EXPECT_EQ(smooth_weights(logs).k, -kInfinity);
  EXPECT_EQ(exact.tail, 0);
}

// The tail: ceil(min(S / 5, 3 sqrt S)) values, in the order they had, none above the largest raw weight.
TEST(Pareto, SmoothingKeepsTheOrder) {
  const std::vector<double> uniform = congruential(2, 400);
  std::vector<double> logs;
  for (const double u : uniform) logs.push_back(-0.8 * std::log1p(-u));
  const SmoothedWeights smooth = smooth_weights(logs);
  EXPECT_EQ(smooth.tail, 60);
  std::vector<std::size_t> order(logs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return logs[a] < logs[b]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_LE(smooth.log_weights[order[i - 1]], smooth.log_weights[order[i]]);
  const double body = smooth.log_weights[order[0]] - logs[order[0]];
  EXPECT_LE(smooth.log_weights[order.back()] - logs[order.back()], body + 1e-12);
  EXPECT_EQ(smooth_weights(logs, /*relative_efficiency=*/4).tail, 30);
}

TEST(Pareto, FewAndUnequalAndBrokenWeights) {
  EXPECT_TRUE(std::isnan(smooth_weights({1, 2, 3}).k));
  EXPECT_NEAR(total_weight(smooth_weights({1, 2, 3})), 1, 1e-15);
  EXPECT_TRUE(std::isnan(smooth_weights({}).ess));

  std::vector<double> logs(100, -2000.0);
  logs[3] = 0;
  EXPECT_EQ(smooth_weights(logs).k, kInfinity);  // one draw has all the weight
  EXPECT_NEAR(smooth_weights(logs).ess, 1, 1e-12);

  std::vector<double> ties(100, 0.0);
  ties[3] = 1;
  EXPECT_TRUE(std::isnan(smooth_weights(ties).k));

  std::vector<double> zeros = congruential(1, 200);
  for (std::size_t i = 0; i < 100; ++i) zeros[i] = -kInfinity;
  EXPECT_TRUE(std::isfinite(smooth_weights(zeros).k));
  EXPECT_EQ(smooth_weights(zeros).log_weights[0], -kInfinity);

  for (const double bad : {kInfinity, std::nan("")}) {
    zeros[7] = bad;
    EXPECT_TRUE(std::isnan(smooth_weights(zeros).k));
    EXPECT_TRUE(std::isnan(smooth_weights(zeros).ess));
  }
  EXPECT_TRUE(std::isnan(smooth_weights(std::vector<double>(50, -kInfinity)).k));
}

TEST(Pareto, ReliableK) {
  EXPECT_DOUBLE_EQ(reliable_k(100), 0.5);
  EXPECT_DOUBLE_EQ(reliable_k(100000), 0.7);
}

TEST(SmoothWeights, DifferencesBelowRoundingSayNothing) {
  EXPECT_TRUE(std::isnan(smooth_weights(std::vector<double>(1000, -1.24e160)).k));
  EXPECT_EQ(smooth_weights(std::vector<double>(1000, -1e6)).k, -INFINITY);
}

}  // namespace
}  // namespace scorevi::metrics
