#include "scorevi/inference/laplace.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

const double kLogTwoPi = std::log(2 * std::acos(-1.0));

// Correlations of 0.9^|i - j| and standard deviations far from each other.
at::Tensor covariance_with(const at::Tensor& sd) {
  at::Tensor covariance = at::outer(sd, sd);
  for (int64_t i = 0; i < sd.numel(); ++i)
    for (int64_t j = 0; j < sd.numel(); ++j) covariance[i][j] *= std::pow(0.9, std::abs(i - j));
  return covariance;
}

TEST(Laplace, ExactForGaussiansOfAnyScale) {
  const at::Tensor sd = vec({1e-5, 1, 1e4, 0.3}), mean = vec({2, 0, -1e3, 50});
  const at::Tensor covariance = covariance_with(sd), precision = covariance.inverse();
  targets::GaussianTarget target(mean, precision);
  const LaplaceFit full = *laplace(target, mean, GaussianForm::kFull);
  expect_near(full.gaussian.covariance / at::outer(sd, sd), covariance / at::outer(sd, sd), 1e-5);
  expect_equal(full.gaussian.mean, mean);
  EXPECT_NEAR(full.log_normaliser, 0.5 * (4 * kLogTwoPi + at::logdet(covariance).item<double>()), 1e-5);
  EXPECT_EQ(full.not_positive, 0);
  EXPECT_GE(full.evaluations, 9);
  EXPECT_LE(full.evaluations, 17);
  const LaplaceFit diagonal = *laplace(target, mean, GaussianForm::kDiagonal);
  expect_near(diagonal.gaussian.covariance * precision.diagonal(), at::ones({4}, at::kDouble), 1e-6);
  EXPECT_EQ(diagonal.not_positive, 0);
}

// Gamma(5, 1): mode 4, curvature -1/4, log integral log 24; Laplace's own value is Stirling's formula.
TEST(Laplace, Gamma) {
  FunctionTarget target(vec({0}), [](const at::Tensor& theta, int64_t) {
    const double x = theta[0].item<double>();
    return Evaluation{4 * std::log(x) - x, vec({4 / x - 1}), 0};
  });
  const LaplaceFit fit = *laplace(target, vec({4}), GaussianForm::kFull);
  EXPECT_NEAR(fit.gaussian.covariance.item<double>(), 4, 1e-6);
  EXPECT_NEAR(fit.log_normaliser, 4 * std::log(4.0) - 4 + 0.5 * (kLogTwoPi + std::log(4.0)), 1e-6);
  EXPECT_EQ(fit.evaluations, target.evaluations);
}

// theta = 1 + scale u with density exp(u - e^u) of u: the step has to fit the scale, which the first try misses.
TEST(Laplace, StepsFollowTheCurvature) {
  for (const double scale : {1e-5, 1.0, 1e6}) {
    FunctionTarget target(vec({0}), [scale](const at::Tensor& theta, int64_t) {
      const double u = (theta[0].item<double>() - 1) / scale;
      return Evaluation{u - std::exp(u), vec({(1 - std::exp(u)) / scale}), 0};
    });
    const LaplaceFit fit = *laplace(target, vec({1}), GaussianForm::kDiagonal);
    EXPECT_NEAR(fit.gaussian.covariance.item<double>() / (scale * scale), 1, 1e-6) << scale;
  }
}

TEST(Laplace, PriorIsPartOfTheTarget) {
  targets::DiagonalGaussianTarget target(vec({0, 0}), vec({3, 8}));
  target.set_prior(0.5);
  const LaplaceFit fit = *laplace(target, vec({0, 0}), GaussianForm::kDiagonal);
  expect_near(fit.gaussian.covariance, vec({1.0 / 7, 1.0 / 12}), 1e-8);
}

// A saddle and a flat direction are told, and the covariance is positive definite all the same.
TEST(Laplace, NotAMaximum) {
  FunctionTarget target(vec({0, 0, 0}), [](const at::Tensor& theta, int64_t) {
    const at::Tensor curvature = vec({-4, 9, 0});
    return Evaluation{0.5 * (curvature * theta.square()).sum().item<double>(), curvature * theta, 0};
  });
  for (const GaussianForm form : {GaussianForm::kDiagonal, GaussianForm::kFull}) {
    const LaplaceFit fit = *laplace(target, vec({0, 0, 0}), form);
    EXPECT_EQ(fit.not_positive, 2);
    EXPECT_NEAR(fit.smallest_eigenvalue, -1, 1e-8);
    const at::Tensor covariance = fit.gaussian.covariance;
    const at::Tensor variances = form == GaussianForm::kFull ? covariance.diagonal() : covariance;
    expect_near(variances, vec({0.25, 1.0 / 9, 1e8}), 1e-8);
    EXPECT_TRUE(std::isfinite(fit.log_normaliser));
  }
}

// A wall 1e-7 beside the mode: the differences come nearer. No room at all: an error that names the coordinate.
TEST(Laplace, WallsBesideTheMode) {
  const auto walled = [](double room) {
    return FunctionTarget(vec({0, 0}), [room](const at::Tensor& theta, int64_t) {
      const bool outside = theta[1].item<double>() > room;
      const double density = outside ? -std::numeric_limits<double>::infinity() : -theta.square().sum().item<double>();
      return Evaluation{density, -2 * theta, 0};
    });
  };
  FunctionTarget near = walled(1e-7), none = walled(0);
  expect_near(laplace(near, vec({0, 0}), GaussianForm::kDiagonal)->gaussian.covariance, vec({0.5, 0.5}), 1e-8);
  EXPECT_THAT(message_of(ErrorKind::kNumerical,
                         [&] {
                           laplace(none, vec({0, 0}), GaussianForm::kFull);
                         }),
              testing::HasSubstr("however near, along " + none.layout().element_name(1)));
  EXPECT_THAT(message_of(ErrorKind::kNumerical,
                         [&] {
                           laplace(near, vec({0, 1}), GaussianForm::kFull);
                         }),
              testing::HasSubstr("not finite at the mode"));
}

TEST(Laplace, TheCallbackStops) {
  targets::DiagonalGaussianTarget target(vec({0, 0}), vec({3, 8}));
  const auto stop_at = [&](int64_t column) {
    return laplace(target, vec({0, 0}), GaussianForm::kFull, [column](int64_t done, int64_t dim) {
      EXPECT_EQ(dim, 2);
      return done == column;
    });
  };
  EXPECT_FALSE(stop_at(1).has_value());
  EXPECT_TRUE(stop_at(3).has_value());
}

}  // namespace
}  // namespace scorevi::test
