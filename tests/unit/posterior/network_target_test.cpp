#include "scorevi/posterior/network_target.h"

#include <gmock/gmock.h>

#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "support/finite_difference.h"
#include "test_networks.h"

namespace scorevi::posterior {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

NetworkTargetOptions rows_and_temperature(int64_t rows, double temperature) {
  NetworkTargetOptions options;
  options.train_rows = rows;
  options.temperature = temperature;
  return options;
}

TEST(NetworkTarget, EqualsTheGoldenSmallNetwork) {
  const nlohmann::json c = golden("vi")["small_network"][0];
  NetworkTargetOptions options = rows_and_temperature(c["N"], c["temperature"]);
  options.prior.std = c["sigma0"];
  options.prior.mean = "pretrained";
  const auto network = small_mlp({3}, 2, 2);
  {
    const torch::NoGradGuard no_grad;
    const torch::Tensor mu0 = tensor(c["mu0"]).to(test_device());
    int64_t offset = 0;
    for (torch::Tensor& parameter : network->parameters()) {
      parameter.copy_(mu0.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
      offset += parameter.numel();
    }
  }
  NetworkTarget target(network, std::make_shared<Categorical>(), options);
  target.set_batch(tensor(c["x"]), labels(c["y"]));
  const torch::Tensor theta = tensor(c["expected"]["theta"]).to(test_device());
  const inference::Evaluation result = target.evaluate(theta);

  expect_close(network->forward(tensor(c["x"]).to(test_device())).detach(), tensor(c["expected"]["logits"]), 1e-10);
  const double scale = c["N"].get<double>() / c["temperature"].get<double>();
  EXPECT_NEAR(result.log_density, -scale * c["expected"]["mean_nll"].get<double>(), 1e-10 * scale);
  EXPECT_NEAR(target.loss_scale(), 1 / scale, 1e-15);
  EXPECT_EQ(result.data_used, 4);
  expect_close(result.score + prior_of(*target.prior(), theta).second, tensor(c["expected"]["score"]), 1e-10);
  EXPECT_EQ(result.score.const_data_ptr(), target.evaluate(theta).score.const_data_ptr());
}

class Logistic : public ::testing::TestWithParam<int> {
 protected:
  Logistic() : c(golden("vi")["logistic_minibatch"][GetParam()]) {
    NetworkTargetOptions options = rows_and_temperature(c["N"], c["temperature"]);
    options.prior.groups = {{"fc.weight", number(c["groups"][0]["sigma0"]), "zero"},
                            {"fc.bias", number(c["groups"][1]["sigma0"]), "pretrained"}};
    auto network = std::make_shared<LogisticNetwork>(2);
    {
      const torch::NoGradGuard no_grad;
      network->fc->bias.fill_(number(c["groups"][1]["mu0"]));
    }
    target = std::make_unique<NetworkTarget>(network, std::make_shared<Categorical>(), options);
    theta = tensor(c["theta"]).to(test_device());
  }
  // log density and score of the posterior on these rows, prior included.
  std::pair<double, torch::Tensor> evaluate(const nlohmann::json& rows) {
    const torch::Tensor index = labels(rows);
    target->set_batch(tensor(c["x"]).index_select(0, index), labels(c["y"]).index_select(0, index));
    const inference::Evaluation result = target->evaluate(theta);
    const auto prior = prior_of(*target->prior(), theta);
    return {result.log_density + prior.first, result.score + prior.second};
  }
  void expect_golden(const nlohmann::json& batch) {
    const auto [log_density, score] = evaluate(batch["batch"]);
    EXPECT_NEAR(log_density, batch["log_density"].get<double>(), 1e-9);
    expect_close(score, tensor(batch["score"]), 1e-10);
  }
  nlohmann::json c;
  std::unique_ptr<NetworkTarget> target;
  torch::Tensor theta;
};

TEST_P(Logistic, EqualsTheGoldenBatches) {
  expect_golden(c["full"]);
  for (const auto& batch : c["batches_of_2"]) expect_golden(batch);
  for (const auto& batch : c["uneven_batches"]) expect_golden(batch);
}

TEST_P(Logistic, BatchScoresAverageToTheFullScore) {
  for (const char* cut : {"batches_of_2", "uneven_batches"}) {
    torch::Tensor weighted = torch::zeros_like(theta), plain = torch::zeros_like(theta);
    for (const auto& batch : c[cut]) {
      const auto share = static_cast<double>(batch["batch"].size()) / c["N"].get<double>();
      const torch::Tensor score = evaluate(batch["batch"]).second;
      weighted += share * score;
      plain += score / static_cast<double>(c[cut].size());
    }
    expect_close(weighted, tensor(c["full"]["score"]), 1e-10);
    if (std::string(cut) == "uneven_batches")
      expect_close(plain, tensor(c["uneven_plain_mean_of_scores_is_biased"]), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Temperatures, Logistic, ::testing::Values(0, 1));

TEST(NetworkTarget, TemperatureScalesTheLikelihoodOnly) {
  const torch::Tensor x = torch::linspace(-1, 1, 15, torch::kDouble).view({5, 3});
  const torch::Tensor y = torch::tensor({0, 1, 1, 0, 1});
  NetworkTarget warm(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(40, 1));
  NetworkTarget cold(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(40, 0.1));
  warm.set_batch(x, y);
  cold.set_batch(x, y);
  const auto at_one = warm.evaluate(warm.point()), at_tenth = cold.evaluate(cold.point());
  EXPECT_NEAR(at_tenth.log_density, 10 * at_one.log_density, 1e-9);
  expect_close(at_tenth.score, 10 * at_one.score, 1e-12);
  EXPECT_DOUBLE_EQ(warm.loss_scale(), 1.0 / 40);
  EXPECT_DOUBLE_EQ(cold.loss_scale(), 0.1 / 40);
}

TEST(NetworkTarget, ScoreIsTheDerivativeAlsoOfTheNoiseLevel) {
  Gaussian::Options noise;
  noise.noise_std = 0.4;
  NetworkTarget target(small_mlp({4}, 3, 2), std::make_shared<Gaussian>(noise, test_kind()),
                       rows_and_temperature(12, 0.5));
  const torch::Tensor x = torch::linspace(-1, 1, 15, torch::kDouble).view({5, 3});
  target.set_batch(x, torch::cat({x.sin().sum(1, true), x.cos().sum(1, true)}, 1));
  EXPECT_EQ(target.layout().entries().back().name, "log_noise");
  EXPECT_EQ(target.layout().element_name(target.dim() - 1), "log_noise");
  const torch::Tensor theta = target.point().clone();
  EXPECT_NEAR(theta[-1].item<double>(), std::log(0.4), 1e-12);
  EXPECT_GT(std::abs(target.evaluate(theta).score[-1].item<double>()), 1);
  scorevi::test::expect_score_is_derivative(target, theta, 1e-6);
}

TEST(NetworkTarget, PointIsTakenWithoutACopyAndOthersByValue) {
  NetworkTarget target(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(5, 1));
  target.set_batch(torch::ones({2, 3}, torch::kDouble), torch::tensor({0, 1}));
  const torch::Tensor theta = torch::linspace(-1, 1, target.dim(), test_kind());
  const double outside = target.evaluate(theta).log_density;
  EXPECT_TRUE(target.point().equal(theta));
  target.point().mul_(0.5);
  EXPECT_NE(target.evaluate(target.point()).log_density, outside);
  target.point().mul_(2);
  EXPECT_EQ(target.evaluate(target.point()).log_density, outside);
}

TEST(NetworkTarget, DropoutIsAFunctionOfSeedAndStep) {
  NetworkTarget target(small_mlp({50}, 3, 2, /*dropout=*/0.5), std::make_shared<Categorical>(),
                       rows_and_temperature(5, 1));
  target.set_batch(torch::ones({2, 3}, torch::kDouble), torch::tensor({0, 1}));
  const auto density = [&](uint64_t seed, int64_t step) {
    target.set_step(seed, step);
    return target.evaluate(target.point()).log_density;
  };
  const double first = density(1, 7);
  EXPECT_NE(density(1, 8), first);
  EXPECT_NE(density(2, 7), first);
  EXPECT_EQ(density(1, 7), first);
  EXPECT_NE(target.evaluate(target.point()).log_density,
            first);  // the next sample of the same step
}

TEST(NetworkTarget, ReturnsNonFiniteValues) {
  NetworkTarget target(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(5, 1));
  target.set_batch(torch::ones({2, 3}, torch::kDouble), torch::tensor({0, 1}));
  const auto result = target.evaluate(torch::full({target.dim()}, NAN, test_kind()));
  EXPECT_TRUE(std::isnan(result.log_density));
  target.point().zero_();
  EXPECT_TRUE(target.evaluate(target.point()).score.isfinite().all().item<bool>());
}

TEST(NetworkTarget, RefusesWrongBatchesAndOptions) {
  NetworkTarget target(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(5, 1));
  EXPECT_THROW(target.evaluate(target.point()), InternalError);
  const auto expect_refused = [&](const torch::Tensor& x, const torch::Tensor& y, const char* part) {
    EXPECT_THAT([&] { target.set_batch(x, y); }, ThrowsMessage<Error>(HasSubstr(part)));
  };
  const auto labels_of = [](int64_t rows) { return torch::zeros({rows}, torch::kLong); };
  expect_refused(torch::ones({0, 3}), labels_of(0), "got 0 rows of inputs and 0");
  expect_refused(torch::ones({2, 3}), labels_of(3), "got 2 rows of inputs and 3");
  expect_refused(torch::ones({6, 3}), labels_of(6), "1 to the 5 training rows");
  target.set_batch(torch::ones({2, 3}), torch::zeros({2}));
  EXPECT_THAT([&] { target.evaluate(target.point()); },
              ThrowsMessage<Error>(HasSubstr("expected [B, classes] and Long [B]")));

  const auto make = [](int64_t rows, double temperature) {
    NetworkTarget(small_mlp({4}, 3, 2), std::make_shared<Categorical>(), rows_and_temperature(rows, temperature));
  };
  EXPECT_THAT([&] { make(0, 1); }, ThrowsMessage<Error>(HasSubstr("training rows, got 0")));
  for (const double temperature : std::vector<double>{0, -1, NAN, INFINITY})
    EXPECT_THAT([&] { make(5, temperature); }, ThrowsMessage<Error>(HasSubstr("likelihood.temperature")));
}

// The Hessian product against differences of scores that dropout the same weights, whole and in micro-batches.
TEST(NetworkTarget, HessianProductIsTheDerivativeOfTheScore) {
  for (const double dropout : {0.0, 0.3}) {
    for (const int64_t micro_batch : {0, 2}) {
      NetworkTargetOptions options = rows_and_temperature(20, 0.5);
      options.second_order = true;
      options.micro_batch = micro_batch;
      NetworkTarget target(small_mlp({4, 3}, 2, 3, dropout), std::make_shared<Categorical>(), options);
      ASSERT_TRUE(target.has_hessian_product());
      target.set_batch(torch::linspace(-1, 2, 10, test_kind()).view({5, 2}),
                       torch::tensor({0, 2, 1, 0, 2}, torch::kLong));
      const torch::Tensor theta = torch::linspace(-1, 1, target.dim(), test_kind()).sin();
      const torch::Tensor v = torch::linspace(0, 3, target.dim(), test_kind()).cos();
      const auto score = [&](double h) {
        target.set_step(1, 3);
        return target.evaluate(theta + v * h).score.clone();
      };
      const torch::Tensor expected = (score(1e-5) - score(-1e-5)) / 2e-5;
      const torch::Tensor at_theta = score(0);
      expect_close(target.hessian_product(theta, v), expected, 1e-7);
      expect_close(target.evaluate(theta).score * 0 + at_theta, score(0), 1e-14);
      score(0);
      const torch::Tensor first = target.hessian_product(theta, v).clone();
      expect_close(target.hessian_product(theta, v), first, 0);  // again, with the same dropout
    }
  }
}

TEST(NetworkTarget, HasNoHessianProductUnlessAskedFor) {
  NetworkTarget target(small_mlp({4}, 2, 3), std::make_shared<Categorical>(), rows_and_temperature(20, 1));
  EXPECT_FALSE(target.has_hessian_product());
  EXPECT_THROW(target.hessian_product(target.point(), target.point()), InternalError);
}

}  // namespace
}  // namespace scorevi::posterior
