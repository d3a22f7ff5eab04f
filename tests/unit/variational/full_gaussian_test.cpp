#include "scorevi/variational/full_gaussian.h"

#include <cmath>
#include <fstream>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/check.h"
#include "support/error_of.h"

namespace scorevi::variational {
namespace {

using Json = nlohmann::json;

at::Tensor vec(const Json& values) {
  return at::tensor(values.get<std::vector<double>>(), at::TensorOptions(at::kDouble));
}

at::Tensor mat(const Json& rows) {
  std::vector<at::Tensor> parts;
  for (const Json& row : rows) parts.push_back(vec(row));
  return at::stack(parts);
}

const Json& golden() {
  static const Json all = Json::parse(std::ifstream("tests/golden/numbers/vi.json"));
  return all["full_gaussian"];
}

FullGaussian golden_q() { return FullGaussian(vec(golden()["m"]), mat(golden()["L"])); }

TEST(FullGaussian, LogProbScoreEntropyCovarianceAreTheGoldenValues) {
  const FullGaussian q = golden_q();
  const Json& expected = golden()["expected"];
  for (size_t i = 0; i < golden()["theta"].size(); ++i) {
    const at::Tensor theta = vec(golden()["theta"][i]);
    const double log_prob = expected["log_prob"][i].get<double>();
    EXPECT_NEAR(q.log_prob(theta).item<double>(), log_prob, 1e-12 * std::abs(log_prob));
    EXPECT_TRUE(at::allclose(q.score(theta), vec(expected["score"][i]), /*rtol=*/1e-12, /*atol=*/1e-12));
  }
  EXPECT_NEAR(q.entropy(), expected["entropy"].get<double>(), 1e-12);
  EXPECT_TRUE(at::allclose(q.covariance(), mat(expected["covariance"]), 1e-13, 1e-13));
  EXPECT_TRUE(at::allclose(q.standard_deviations().square(), q.covariance().diagonal(), 1e-13, 1e-13));
}

TEST(FullGaussian, ScoreIsTheDerivativeOfLogProb) {
  const FullGaussian q = golden_q();
  at::Tensor theta = vec(golden()["theta"][0]).requires_grad_(true);
  q.log_prob(theta).backward();
  EXPECT_EQ(q.score(theta.detach()).sizes(), theta.sizes());
  EXPECT_TRUE(at::allclose(theta.grad(), q.score(theta.detach()), 1e-12, 1e-12));
}

TEST(FullGaussian, SamplesHaveItsMomentsAndFollowTheKeyAlone) {
  const FullGaussian q = golden_q();
  const int64_t n = 20000, dim = q.dim();
  const at::Tensor draws = at::empty({n, dim}, at::kDouble);
  for (int64_t i = 0; i < n; ++i) q.sample({/*seed=*/3, /*step=*/5, static_cast<uint32_t>(i)}, draws[i]);
  const at::Tensor centred = draws - q.mean();
  const at::Tensor covariance = centred.t().matmul(centred) / n;
  const at::Tensor sd = q.standard_deviations(), scale = at::outer(sd, sd);
  // The mean of n draws errs by sd/sqrt(n), a covariance by at most sqrt(2/n) of the product of the two sds.
  EXPECT_LT((centred.mean(0) / sd).abs().max().item<double>(), 4 / std::sqrt(n));
  EXPECT_LT(((covariance - q.covariance()) / scale).abs().max().item<double>(), 4.5 * std::sqrt(2.0 / n));

  at::Tensor again = at::empty({dim}, at::kDouble);
  q.sample({3, 5, 7}, again);
  EXPECT_TRUE(at::equal(again, draws[7]));
  q.mean_into(again);
  EXPECT_TRUE(at::equal(again, q.mean()));
}

TEST(FullGaussian, FromMeanCopiesTheMeanIntoDoublesAndSetsOneStd) {
  const at::Tensor mean = at::tensor(std::vector<float>{1.5F, -2.0F}, at::TensorOptions(at::kFloat));
  const FullGaussian q = FullGaussian::from_mean(mean, 0.02);
  EXPECT_EQ(q.mean().scalar_type(), at::kDouble);
  EXPECT_TRUE(at::equal(q.mean(), mean.to(at::kDouble)));
  EXPECT_TRUE(at::equal(q.factor(), at::eye(2, at::kDouble) * 0.02));
  const FullGaussian other = FullGaussian::from_mean(q.mean(), 1);
  EXPECT_NE(other.mean().data_ptr(), q.mean().data_ptr());
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { FullGaussian::from_mean(mean, bad); }),
                ::testing::HasSubstr("posterior.init_std: not a standard deviation"));
}

TEST(FullGaussian, SharesItsBuffersAndRefusesWhatDoesNotFit) {
  const at::Tensor mean = vec(golden()["m"]).clone(), factor = mat(golden()["L"]).clone();
  const FullGaussian q(mean, factor);
  factor[0][0].fill_(42.0);
  EXPECT_EQ(q.factor()[0][0].item<double>(), 42.0);
  EXPECT_THROW(FullGaussian(mean, factor.slice(0, 0, 3)), InternalError);
  EXPECT_THROW(FullGaussian(mean, factor.t()), InternalError);
  EXPECT_THROW(FullGaussian(mean.to(at::kFloat), factor.to(at::kFloat)), InternalError);
}

TEST(FullGaussian, SavesTheFactorByRowsOfEachParameter) {
  params::FlatLayout layout;
  layout.append("fc.weight", {1, 3});
  layout.append("fc.bias", {1});
  const FullGaussian q = golden_q();
  params::StateDict state;
  q.save(state, layout);
  EXPECT_EQ(state.tensor("mean.fc.weight").sizes(), (at::IntArrayRef{1, 3}));
  EXPECT_EQ(state.tensor("factor.fc.weight").sizes(), (at::IntArrayRef{3, 4}));
  EXPECT_TRUE(at::equal(state.tensor("factor.fc.bias"), q.factor().slice(0, 3, 4)));

  FullGaussian other = FullGaussian::from_mean(at::zeros_like(q.mean()), 1.0);
  other.load(state, layout);
  EXPECT_TRUE(at::equal(other.mean(), q.mean()));
  EXPECT_TRUE(at::equal(other.factor(), q.factor()));
  FullGaussian smaller = FullGaussian::from_mean(at::zeros({3}, at::kDouble), 1.0);
  EXPECT_EQ(test::error_of([&] { smaller.load(state, params::FlatLayout::single(3)); }).kind, ErrorKind::kData);
}

}  // namespace
}  // namespace scorevi::variational
