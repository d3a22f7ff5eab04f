#include "scorevi/metrics/student_t.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scorevi::metrics {
namespace {

// Two-sided 95 % points of published t tables.
TEST(StudentT, KnownQuantiles) {
  const double table[][2] = {{1, 12.706204736174694},  {2, 4.302652729749464}, {3, 3.182446305283708},
                             {4, 2.7764451051977934},  {9, 2.262157162798205}, {30, 2.0422724563012378},
                             {100, 1.9839715185235518}};
  for (const auto& [dof, t] : table) {
    EXPECT_NEAR(student_t_quantile(0.975, dof), t, 2e-9 * t) << dof;
    EXPECT_NEAR(student_t_quantile(0.025, dof), -t, 2e-9 * t) << dof;
    EXPECT_NEAR(student_t_cdf(student_t_quantile(0.975, dof), dof), 0.975, 1e-14) << dof;
  }
}

// Closed forms: 1 degree of freedom is Cauchy, 2 is t / sqrt(2 + t^2); many are normal.
TEST(StudentT, ClosedForms) {
  constexpr double kPi = 3.14159265358979323846;
  for (double p : {1e-6, 0.01, 0.3, 0.5, 0.6, 0.9, 0.995}) {
    const double cauchy = p == 0.5 ? 0.0 : std::tan(kPi * (p - 0.5));
    EXPECT_NEAR(student_t_quantile(p, 1), cauchy, 1e-9 * std::max(1.0, std::abs(cauchy)));
    const double two = (2 * p - 1) * std::sqrt(2.0 / (4 * p * (1 - p)));
    EXPECT_NEAR(student_t_quantile(p, 2), two, 1e-9 * std::max(1.0, std::abs(two)));
    EXPECT_NEAR(student_t_quantile(p, 1e8), normal_quantile(p), 1e-5);
  }
  for (double t : {-3.0, -0.1, 0.0, 0.7, 20.0})
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-14);
}

TEST(Normal, KnownQuantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.05), -1.6448536269514722, 1e-14);
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_NEAR(normal_cdf(1.0), 0.8413447460685429, 1e-15);
}

// {1, 2, 3, 4, 5}: sd sqrt(2.5), half width 2.77644510519779 sqrt(2.5 / 5).
TEST(MeanInterval, HandCase) {
  const MeanInterval m = mean_interval({1, 2, 3, 4, 5});
  EXPECT_EQ(m.n, 5);
  EXPECT_EQ(m.mean, 3.0);
  EXPECT_DOUBLE_EQ(m.sd, std::sqrt(2.5));
  EXPECT_NEAR(m.high - m.mean, 2.7764451051977934 * std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(m.mean - m.low, m.high - m.mean, 1e-12);
}

TEST(MeanInterval, FewValues) {
  EXPECT_TRUE(std::isnan(mean_interval({}).mean));
  EXPECT_EQ(mean_interval({4.0}).mean, 4.0);
  EXPECT_TRUE(std::isnan(mean_interval({4.0}).low));
  EXPECT_TRUE(std::isnan(mean_interval({1.0, std::nan("")}).high));
  const MeanInterval same = mean_interval({2.0, 2.0});
  EXPECT_EQ(same.low, 2.0);
  EXPECT_EQ(same.high, 2.0);
}

// Seeds vary a lot, the methods differ by 1 -+ 0.1 on each: pairing finds it.
TEST(MeanInterval, PairingRemovesTheSeed) {
  const std::vector<double> a = {11.1, 20.9, 31.0, 41.0}, b = {10.0, 20.0, 30.0, 40.0};
  const MeanInterval d = paired_interval(a, b);
  EXPECT_NEAR(d.mean, 1.0, 1e-12);
  EXPECT_GT(d.low, 0.8);
  EXPECT_LT(mean_interval(a).low, mean_interval(b).mean);
}

}  // namespace
}  // namespace scorevi::metrics
