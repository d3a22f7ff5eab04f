#include "scorevi/metrics/divergence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scorevi::metrics {
namespace {

at::Tensor vec(std::initializer_list<double> values) {
  return at::tensor(std::vector<double>(values), at::TensorOptions(at::kDouble));
}

// KL(N(1, 4) || N(0, 1)) = (4 + 1 - 1 - log 4) / 2.
TEST(GaussianKl, OneDimensionByHand) {
  const GaussianMoments q{vec({1}), vec({4})}, p{vec({0}), vec({1})};
  EXPECT_NEAR(gaussian_kl(q, p), 0.5 * (4 - std::log(4.0)), 1e-15);
  EXPECT_NEAR(gaussian_kl(p, q), 0.5 * (0.25 + 0.25 - 1 + std::log(4.0)), 1e-15);
  EXPECT_EQ(gaussian_kl(p, p), 0.0);
}

// S_q = [[2, 1], [1, 2]], S_p = [[1, 0], [0, 3]], difference (1, -3): trace 2 + 2/3, square 1 + 3, determinants 3, 3.
TEST(GaussianKl, TwoDimensionsByHand) {
  const GaussianMoments q{vec({1, 0}), vec({2, 1, 1, 2}).view({2, 2})}, p{vec({0, 3}), vec({1, 3})};
  EXPECT_NEAR(gaussian_kl(q, p), 0.5 * (2 + 2.0 / 3 + 4 - 2), 1e-14);
  // The other way: S_q^-1 = [[2, -1], [-1, 2]] / 3, trace (2 + 6) / 3, square (2 - 6 * -1 + 18) / 3.
  EXPECT_NEAR(gaussian_kl(p, q), 0.5 * (8.0 / 3 + 26.0 / 3 - 2), 1e-14);
}

TEST(GaussianKl, DiagonalAndFullFormsAgree) {
  const at::Tensor a = vec({0.1, 2, 30}), b = vec({0.2, 1, 50});
  const GaussianMoments q{vec({1, 2, 3}), a}, p{vec({1, 1, 1}), b};
  EXPECT_NEAR(gaussian_kl(q, p), gaussian_kl({q.mean, at::diag(a)}, {p.mean, at::diag(b)}), 1e-13);
}

// To second order KL is sum (relative change of a variance)^2 / 4: 1e-14 is kept to four digits beside D = 20.
TEST(GaussianKl, AccurateNearZero) {
  const at::Tensor mean = at::zeros({20}, at::kDouble), one = at::ones({20}, at::kDouble);
  const at::Tensor near = one + 1e-7;
  EXPECT_NEAR(gaussian_kl({mean, near}, {mean, one}), 20 * 1e-14 / 4, 1e-17);
}

TEST(GaussianKl, AffineInvariance) {
  const at::Tensor root = vec({1, 0, 0, 0.5, 2, 0, -1, 0.3, 0.7}).view({3, 3});
  const at::Tensor shift = vec({3, -1, 8}), map = vec({1, 2, 0, 0, 1, -3, 5, 0, 1}).view({3, 3});
  const GaussianMoments q{vec({1, 0, -1}), root.matmul(root.t())}, p{vec({0, 0, 0}), vec({1, 2, 3})};
  const auto mapped = [&](const GaussianMoments& g) {
    const at::Tensor covariance = g.covariance.dim() == 1 ? at::diag(g.covariance) : g.covariance;
    return GaussianMoments{map.mv(g.mean) + shift, map.matmul(covariance).matmul(map.t())};
  };
  EXPECT_NEAR(gaussian_kl(mapped(q), mapped(p)), gaussian_kl(q, p), 1e-10);
}

TEST(GaussianKl, DegenerateAndNonFinite) {
  const GaussianMoments good{vec({0, 0}), vec({1, 1})};
  const GaussianMoments flat{vec({0, 0}), vec({1, 0})};
  const GaussianMoments indefinite{vec({0, 0}), vec({1, 2, 2, 1}).view({2, 2})};
  const GaussianMoments broken{vec({0, std::nan("")}), vec({1, 1})};
  for (const GaussianMoments& bad : {flat, indefinite}) {
    EXPECT_EQ(gaussian_kl(bad, good), std::numeric_limits<double>::infinity());
    EXPECT_EQ(gaussian_kl(good, bad), std::numeric_limits<double>::infinity());
  }
  EXPECT_TRUE(std::isnan(gaussian_kl(broken, good)));
  EXPECT_TRUE(std::isnan(gaussian_kl(good, broken)));
}

// A q that has collapsed is far away, not infinitely far.
TEST(GaussianKl, ACollapsedQIsFinite) {
  const double expected = 0.5 * (1e-30 - 1 + 30 * std::log(10.0));
  const GaussianMoments p{vec({0}), vec({1})};
  EXPECT_NEAR(gaussian_kl({vec({0}), vec({1e-30})}, p), expected, 1e-12);
  EXPECT_NEAR(gaussian_kl({vec({0}), vec({1e-30}).view({1, 1})}, p), expected, 1e-12);
  const GaussianMoments wide{vec({0, 0}), vec({1, 0, 0, 1}).view({2, 2})};
  EXPECT_NEAR(gaussian_kl({vec({0, 0}), vec({1, 0, 0, 1e-30}).view({2, 2})}, wide), expected, 1e-9);
}

}  // namespace
}  // namespace scorevi::metrics
