#include "scorevi/variational/diagonal_gaussian.h"

#include <cmath>
#include <fstream>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/check.h"
#include "scorevi/variational/full_gaussian.h"
#include "scorevi/variational/point_mass.h"
#include "scorevi/variational/registry.h"
#include "support/error_of.h"

namespace scorevi::variational {
namespace {

using Json = nlohmann::json;

at::Tensor vec(const Json& values) {
  return at::tensor(values.get<std::vector<double>>(), at::TensorOptions(at::kDouble));
}

const Json& golden() {
  static const Json all = Json::parse(std::ifstream("tests/golden/numbers/vi.json"));
  return all["diagonal_gaussian"];
}

DiagonalGaussian golden_q() { return DiagonalGaussian(vec(golden()["m"]), vec(golden()["rho"])); }

TEST(DiagonalGaussian, LogProbScoreEntropyAreTheGoldenValues) {
  const DiagonalGaussian q = golden_q();
  const Json& expected = golden()["expected"];
  for (size_t i = 0; i < golden()["theta"].size(); ++i) {
    const at::Tensor theta = vec(golden()["theta"][i]);
    const double log_prob = expected["log_prob"][i].get<double>();
    EXPECT_NEAR(q.log_prob(theta).item<double>(), log_prob, 1e-12 * std::abs(log_prob));
    EXPECT_TRUE(at::allclose(q.score(theta), vec(expected["score"][i]), /*rtol=*/1e-12, /*atol=*/1e-12));
  }
  EXPECT_NEAR(q.entropy(), expected["entropy"].get<double>(), 1e-12);
}

TEST(DiagonalGaussian, ScoreIsTheDerivativeOfLogProb) {
  const DiagonalGaussian q = golden_q();
  at::Tensor theta = vec(golden()["theta"][0]).requires_grad_(true);
  q.log_prob(theta).backward();
  EXPECT_TRUE(at::allclose(theta.grad(), q.score(theta.detach()), 1e-12, 1e-12));
}

template <class T>
void expect_moments(at::ScalarType type) {
  const int64_t n = 200000;
  const auto options = at::TensorOptions(type);
  const DiagonalGaussian q(at::full({n}, 1.5, options), at::full({n}, std::log(0.25), options));
  at::Tensor theta = at::empty({n}, options);
  q.sample({/*seed=*/3, /*step=*/5, /*sample=*/0}, theta);
  const at::Tensor z = (theta.to(at::kDouble) - 1.5) / 0.25;
  EXPECT_NEAR(z.mean().item<double>(), 0, 4 / std::sqrt(n));
  EXPECT_NEAR(z.square().mean().item<double>(), 1, 4 * std::sqrt(2.0 / n));

  at::Tensor again = at::empty({n}, options);
  q.sample({3, 5, 0}, again);
  EXPECT_TRUE(at::equal(theta, again));
  q.sample({3, 5, 1}, again);
  EXPECT_FALSE(at::equal(theta, again));
}

TEST(DiagonalGaussian, SamplesHaveItsMomentsAndFollowTheKeyAlone) {
  expect_moments<double>(at::kDouble);
  expect_moments<float>(at::kFloat);
}

TEST(DiagonalGaussian, FromMeanCopiesTheMeanAndSetsOneStd) {
  const at::Tensor mean = vec(golden()["m"]);
  const DiagonalGaussian q = DiagonalGaussian::from_mean(mean, 0.02);
  EXPECT_TRUE(at::equal(q.mean(), mean));
  EXPECT_NE(q.mean().data_ptr(), mean.data_ptr());
  EXPECT_DOUBLE_EQ(q.log_std()[3].item<double>(), std::log(0.02));
}

TEST(DiagonalGaussian, FromMeanRefusesWhatIsNoStandardDeviation) {
  const at::Tensor mean = vec(golden()["m"]);
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { DiagonalGaussian::from_mean(mean, bad); }),
                ::testing::HasSubstr("posterior.init_std"));
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [&] { DiagonalGaussian::from_mean(mean, -1); }),
            "posterior.init_std: not a standard deviation, got -1, expected a finite number above 0");
}

TEST(DiagonalGaussian, SharesTheBuffersItWasGiven) {
  const at::Tensor mean = vec(golden()["m"]).clone();
  const DiagonalGaussian q(mean, at::zeros_like(mean));
  mean[0].fill_(42.0);
  EXPECT_EQ(q.mean()[0].item<double>(), 42.0);
}

TEST(DiagonalGaussian, RefusesBuffersThatDoNotFit) {
  const at::Tensor mean = vec(golden()["m"]);
  EXPECT_THROW(DiagonalGaussian(mean, at::zeros({3}, mean.options())), InternalError);
  EXPECT_THROW(DiagonalGaussian(mean, at::zeros(mean.sizes(), at::kFloat)), InternalError);
}

TEST(DiagonalGaussian, PointsAreWhereTheirMeanIs) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    DiagonalGaussian q = DiagonalGaussian::from_mean(at::linspace(-2, 2, 100, at::TensorOptions(type)), 0.5);
    q.set_points({{10, 40}, {90, 100}});
    std::vector<int64_t> borders;
    for (const params::Range& range : q.gaussians()) borders.insert(borders.end(), {range.begin, range.end});
    EXPECT_THAT(borders, ::testing::ElementsAre(0, 10, 40, 90));
    at::Tensor theta = at::zeros_like(q.mean());
    q.sample({7, 0, 0}, theta);
    const at::Tensor same = theta == q.mean();
    EXPECT_EQ(same.sum().item<int64_t>(), 40);
    EXPECT_TRUE(same.slice(0, 10, 40).all().item<bool>() && same.slice(0, 90, 100).all().item<bool>());
    EXPECT_TRUE((q.log_std().slice(0, 10, 40).exp() == 0).all().item<bool>());
    EXPECT_TRUE(at::isfinite(q.log_std()).all().item<bool>());
    EXPECT_THROW(q.log_prob(theta), InternalError);
    EXPECT_THROW(q.score(theta), InternalError);
    EXPECT_THROW(q.entropy(), InternalError);
    EXPECT_THROW(q.set_points({{0, 5}, {4, 6}}), InternalError);
    EXPECT_THROW(q.set_points({{90, 101}}), InternalError);
  }
}

TEST(Family, SavesAndLoadsByParameterName) {
  params::FlatLayout layout;
  layout.append("fc.weight", {2, 3});
  layout.append("fc.bias", {1});
  const DiagonalGaussian q = golden_q();
  params::StateDict state;
  q.save(state, layout);
  EXPECT_EQ(state.tensor("mean.fc.weight").sizes(), (at::IntArrayRef{2, 3}));
  EXPECT_TRUE(state.has_tensor("log_std.fc.bias"));

  DiagonalGaussian other = DiagonalGaussian::from_mean(at::zeros_like(q.mean()), 1.0);
  other.load(state, layout);
  EXPECT_TRUE(at::equal(other.mean(), q.mean()));
  EXPECT_TRUE(at::equal(other.log_std(), q.log_std()));
}

TEST(PointMass, IsItsMean) {
  const at::Tensor mean = vec(golden()["m"]).clone();
  const PointMass q(mean);
  at::Tensor theta = at::zeros_like(mean);
  q.sample({1, 2, 3}, theta);
  EXPECT_TRUE(at::equal(theta, mean));
  q.mean_into(mean);  // its own buffer: nothing to do
  EXPECT_TRUE(at::equal(theta, mean));
  EXPECT_EQ(q.parameters().size(), 1u);
  EXPECT_THROW(q.entropy(), InternalError);
  EXPECT_THROW(q.log_prob(theta), InternalError);
  EXPECT_THROW(q.score(theta), InternalError);
}

TEST(Families, AreListedWithHelp) {
  ASSERT_EQ(families().size(), 3u);
  EXPECT_EQ(families()[0].name, golden_q().name());
  EXPECT_EQ(families()[1].name, FullGaussian::from_mean(golden_q().mean(), 1).name());
  EXPECT_EQ(families()[2].name, PointMass(vec(golden()["m"])).name());
  for (const FamilyInfo& info : families()) EXPECT_FALSE(info.help.empty());
}

}  // namespace
}  // namespace scorevi::variational
