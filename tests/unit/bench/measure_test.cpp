#include "measure.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "scorevi/metrics/divergence.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"
#include "scorevi/variational/point_mass.h"

namespace scorevi::bench {
namespace {

using variational::DiagonalGaussian;
using variational::FullGaussian;

targets::KnownTarget target(const std::string& name, int64_t dim) {
  targets::TargetOptions options;
  options.name = name;
  options.dim = dim;
  options.condition = 5;
  return targets::make_target(options);
}

Measurement measured(const variational::Family& q, targets::KnownTarget& known, int64_t draws = 2000) {
  const Truth truth(known);
  return measure(approximation_of(q), *known.density, truth, draws, 1, /*final=*/true);
}

TEST(Measure, TheTargetItselfIsExact) {
  targets::KnownTarget known = target("gaussian", 3);
  const FullGaussian q(known.reference.mean.clone(), at::linalg_cholesky(known.reference.covariance).contiguous());
  const Measurement at = measured(q, known);
  EXPECT_LT(at.mean_error, 1e-12);
  EXPECT_LT(at.sd_error, 1e-12);
  EXPECT_LT(std::abs(at.forward_kl), 1e-12);
  EXPECT_LT(std::abs(at.reverse_kl), 1e-12);
  EXPECT_NEAR(at.elbo, known.reference.log_normaliser, 1e-10);
  EXPECT_LT(at.elbo_error, 1e-10);
  EXPECT_LT(at.k_hat, 0.1);
}

TEST(Measure, ErrorsAreInUnitsOfTheTargetsDeviations) {
  targets::KnownTarget known = target("gaussian", 3);
  const targets::Reference& p = known.reference;
  const DiagonalGaussian q(p.mean + 2 * p.sd, (1.5 * p.sd).log());
  const Measurement at = measured(q, known, 40000);
  EXPECT_NEAR(at.mean_error, 2 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(at.sd_error, 0.5 * std::sqrt(3.0), 1e-12);
  const metrics::GaussianMoments of_q = {q.mean(), (2 * q.log_std()).exp()}, of_p = {p.mean, p.covariance};
  EXPECT_NEAR(at.reverse_kl, metrics::gaussian_kl(of_q, of_p), 1e-10);
  EXPECT_NEAR(at.forward_kl, metrics::gaussian_kl(of_p, of_q), 1e-10);
  EXPECT_NEAR(at.elbo, p.log_normaliser - at.reverse_kl, 5 * at.elbo_error);
  EXPECT_LT(at.elbo_error, 0.2);
}

// KL of a one-dimensional density by the midpoint rule.
template <class LogP, class LogQ>
double kl_by_sum(LogP&& log_p, LogQ&& log_q) {
  double sum = 0;
  constexpr double kStep = 1e-3;
  for (double x = -60; x < 60; x += kStep) sum += std::exp(log_p(x)) * (log_p(x) - log_q(x)) * kStep;
  return sum;
}

TEST(Measure, DivergencesOfATargetThatIsNoGaussian) {
  targets::KnownTarget known = target("sinh_arcsinh", 1);
  const DiagonalGaussian q(at::full({1}, 0.4, at::kDouble), at::full({1}, std::log(1.3), at::kDouble));
  const auto log_p = [&](double x) {
    return known.density->evaluate(at::full({1}, x, at::kDouble)).log_density - known.reference.log_normaliser;
  };
  const auto log_q = [](double x) {
    return -(x - 0.4) * (x - 0.4) / (2 * 1.3 * 1.3) - std::log(1.3) - std::log(2 * M_PI) / 2;
  };
  const Measurement at = measured(q, known, 40000);
  const double forward = kl_by_sum(log_p, log_q), reverse = kl_by_sum(log_q, log_p);
  EXPECT_NEAR(at.forward_kl, forward, 0.02 + 0.02 * forward);
  EXPECT_NEAR(at.reverse_kl, reverse, 5 * at.elbo_error);
}

// Neal's funnel: moments of its second coordinate are far beyond what draws show, and known.
TEST(Measure, HeavyTailsAreMeasuredByKnownMoments) {
  targets::TargetOptions options;
  options.name = "funnel";
  options.scale = 3;
  targets::KnownTarget known = targets::make_target(options);
  const DiagonalGaussian q(at::zeros({2}, at::kDouble), at::zeros({2}, at::kDouble));
  // E log p = -(1 + log 2 pi) - log 3, for E[v] = 0; E log q = -(9 + e^{9/2})/2 - log 2 pi.
  const double log_two_pi = std::log(2 * M_PI);
  const double expected = -(1 + log_two_pi) - std::log(3.0) + (9 + std::exp(4.5)) / 2 + log_two_pi;
  EXPECT_NEAR(measured(q, known).forward_kl, expected, 0.1);
}

// No moment of the drawn numbers is finite, or their covariance is none.
TEST(Measure, TailsWithoutAnyMomentAreNoError) {
  targets::TargetOptions options;
  options.name = "student_t";
  options.dim = 2;
  options.dof = 0.01;
  targets::KnownTarget known = targets::make_target(options);
  const DiagonalGaussian q(at::zeros({2}, at::kDouble), at::zeros({2}, at::kDouble));
  EXPECT_EQ(measured(q, known).forward_kl, std::numeric_limits<double>::infinity());
}

TEST(Measure, WhichModesAreCovered) {
  targets::KnownTarget known = target("mixture", 2);
  const DiagonalGaussian one(known.modes[1].clone(), at::zeros({2}, at::kDouble));
  const Measurement at = measured(one, known);
  ASSERT_EQ(at.mode_shares.size(), 2U);
  EXPECT_LT(at.mode_shares[0], 0.01);
  EXPECT_GT(at.mode_shares[1], 0.99);
  EXPECT_NEAR(at.reverse_kl, std::log(2.0), 0.02);  // the other half is missing
  const DiagonalGaussian both(known.reference.mean.clone(), known.reference.sd.log());
  EXPECT_NEAR(measured(both, known).mode_shares[0], 0.5, 0.05);
}

TEST(Measure, AQWithoutWidthHasNoTail) {
  targets::KnownTarget known = target("gaussian", 3);
  const DiagonalGaussian q(known.reference.mean.clone(), at::full({3}, std::log(1e-14), at::kDouble));
  EXPECT_TRUE(std::isnan(measured(q, known).k_hat));
}

TEST(Measure, APointHasNoDensity) {
  targets::KnownTarget known = target("gaussian", 3);
  const variational::PointMass q(known.reference.mean.clone());
  const Measurement at = measured(q, known);
  EXPECT_LT(at.mean_error, 1e-12);
  EXPECT_TRUE(std::isnan(at.sd_error));
  EXPECT_TRUE(std::isnan(at.elbo));
  EXPECT_TRUE(std::isnan(at.reverse_kl));
}

}  // namespace
}  // namespace scorevi::bench
