#include "scorevi/posterior/predict.h"

#include <gmock/gmock.h>

#include <cmath>

#include "scorevi/core/error.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "test_networks.h"

namespace scorevi::posterior {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Gives the rows of `inputs` in batches of these sizes.
EachBatch in_batches(const torch::Tensor& inputs, const std::vector<int64_t>& sizes) {
  return [=](const VisitBatch& visit) {
    int64_t first = 0;
    for (const int64_t size : sizes) {
      visit(first, inputs.narrow(0, first, size));
      first += size;
    }
  };
}

// theta is the table of logits itself: row i of the output is theta[i].
struct LogitTable : models::Network {
  LogitTable(int64_t rows, int64_t classes) {
    table = register_parameter("table", torch::zeros({rows, classes}, test_kind()));
  }
  at::Tensor forward(at::Tensor rows) override { return table.index_select(0, rows.view(-1).to(torch::kLong)); }
  torch::Tensor table;
};

// Gives these samples one after the other, whatever the noise key but its sample number.
struct ListedSamples final : variational::Family {
  explicit ListedSamples(const torch::Tensor& values) : samples(values.to(test_device())) {}
  std::string name() const override { return "listed"; }
  int64_t dim() const override { return samples.size(1); }
  std::vector<std::pair<std::string, at::Tensor>> parameters() const override { return {}; }
  void sample(const kernels::NoiseKey& key, at::Tensor theta) const override {
    theta.copy_(samples[static_cast<int64_t>(key.sample)]);
  }
  void mean_into(at::Tensor theta) const override { theta.copy_(samples.mean(0)); }
  at::Tensor log_prob(const at::Tensor&) const override { return {}; }
  at::Tensor score(const at::Tensor&) const override { return {}; }
  double entropy() const override { return 0; }
  torch::Tensor samples;
};

NetworkTarget make_target(std::shared_ptr<models::Network> network, std::shared_ptr<Likelihood> likelihood) {
  NetworkTargetOptions options;
  options.train_rows = 10;
  return NetworkTarget(std::move(network), std::move(likelihood), options);
}

metrics::LogMeanExp predict_table(const torch::Tensor& logits, int64_t samples) {
  const int64_t rows = logits.size(1), classes = logits.size(2);
  NetworkTarget target = make_target(std::make_shared<LogitTable>(rows, classes), std::make_shared<Categorical>());
  const torch::Tensor index = torch::arange(rows, torch::kDouble).unsqueeze(1);
  PredictOptions options;
  options.samples = samples;
  const std::vector<int64_t> sizes = rows == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{1, rows - 1};
  return predict_classes(target, ListedSamples(logits.flatten(1)), in_batches(index, sizes), rows, classes, options);
}

TEST(PredictClasses, AveragesProbabilitiesNotLogits) {
  const torch::Tensor logits = torch::tensor({{{10.0, 0.0}, {0.0, 1.0}}, {{0.0, 10.0}, {0.0, 1.0}}}, torch::kDouble);
  const metrics::LogMeanExp average = predict_table(logits, 2);
  EXPECT_EQ(average.samples(), 2);
  expect_close(average.log_mean()[0], torch::full({2}, -std::log(2.0), torch::kDouble), 1e-15);
  const double p = 1 / (1 + std::exp(-1.0));
  EXPECT_NEAR(average.expected_entropy()[1].item<double>(), -p * std::log(p) - (1 - p) * std::log(1 - p), 1e-14);
  EXPECT_LT(average.expected_entropy()[0].item<double>(),
            1e-3);  // each sample is sure: all of ln 2 is disagreement
}

TEST(PredictClasses, EqualsTheGoldenAverages) {
  int compared = 0;
  const nlohmann::json cases = golden("average")["cases"];
  for (const auto& c : cases) {
    const torch::Tensor logits = tensor(c["logits"]);
    SCOPED_TRACE(c["name"].get<std::string>());
    const metrics::LogMeanExp average = predict_table(logits, logits.size(0));
    expect_close(average.log_mean(), tensor(c["expected"]["log_mean"]), 1e-12);
    ++compared;
  }
  EXPECT_EQ(compared, 9);
}

TEST(PredictClasses, ZeroSamplesIsTheMean) {
  const torch::Tensor logits = torch::tensor({{{2.0, 0.0}, {0.0, 1.0}}, {{4.0, 0.0}, {0.0, 1.0}}}, torch::kDouble);
  const metrics::LogMeanExp average = predict_table(logits, 0);
  EXPECT_EQ(average.samples(), 1);
  EXPECT_NEAR(average.log_mean()[0][0].item<double>(), -std::log1p(std::exp(-3.0)), 1e-14);
}

class PredictMlp : public ::testing::Test {
 protected:
  PredictMlp()
      : target(make_target(small_mlp({6}, 3, 4, /*dropout=*/0.5), std::make_shared<Categorical>())),
        family(variational::DiagonalGaussian::from_mean(target.point(), /*init_std=*/0.5)),
        inputs(torch::linspace(-2, 2, 3 * 23, torch::kDouble).view({23, 3})) {
    options.samples = 7;
  }
  torch::Tensor predict(const std::vector<int64_t>& sizes) {
    return predict_classes(target, family, in_batches(inputs, sizes), 23, 4, options).log_mean();
  }
  NetworkTarget target;
  variational::DiagonalGaussian family;
  torch::Tensor inputs;
  PredictOptions options;
};

TEST_F(PredictMlp, DoesNotDependOnTheBatches) {
  const torch::Tensor whole = predict({23});
  expect_close(predict({5, 1, 9, 2, 3, 1, 2}), whole, 1e-13);
  target.point().zero_();  // nor on what the network held before
  EXPECT_TRUE(predict({23}).equal(whole));
}

TEST_F(PredictMlp, UsesTheSameWeightsForTheWholeSetAndNoiseOfItsOwn) {
  std::vector<torch::Tensor> seen;
  for_each_prediction(target, family, in_batches(inputs, {20, 3}), options,
                      [&](int64_t, int64_t, const at::Tensor&) { seen.push_back(target.point().clone()); });
  ASSERT_EQ(seen.size(), 14u);
  EXPECT_TRUE(seen[0].equal(seen[1]));
  EXPECT_FALSE(seen[1].equal(seen[2]));
  torch::Tensor training = torch::empty_like(seen[0]);
  family.sample({options.seed, /*step=*/0, /*sample=*/0}, training);
  EXPECT_FALSE(seen[0].equal(training));
  options.seed = 1;
  EXPECT_NE(prediction_noise(1, 0).seed, prediction_noise(0, 0).seed);
  EXPECT_EQ(prediction_noise(1, 3).sample, 3u);
}

TEST_F(PredictMlp, PutsEveryModulesModeBack) {
  target.network().children()[0]->eval();  // a frozen part
  predict({23});
  EXPECT_TRUE(target.network().is_training());
  EXPECT_FALSE(target.network().children()[0]->is_training());
  EXPECT_TRUE(target.network().children()[1]->is_training());

  const auto fail = [](int64_t, int64_t, const at::Tensor&) { throw Error(ErrorKind::kData, "broken"); };
  EXPECT_THROW(for_each_prediction(target, family, in_batches(inputs, {23}), options, fail), Error);
  EXPECT_TRUE(target.network().is_training());

  target.network().eval();
  predict({23});
  EXPECT_FALSE(target.network().is_training());
}

TEST_F(PredictMlp, RecordsNoGradients) {
  for_each_prediction(target, family, in_batches(inputs, {23}), options,
                      [&](int64_t, int64_t, const at::Tensor& outputs) { EXPECT_FALSE(outputs.requires_grad()); });
}

TEST_F(PredictMlp, RefusesNegativeSamplesAndTheWrongLikelihood) {
  options.samples = -1;
  EXPECT_THAT([&] { predict({23}); }, ThrowsMessage<Error>(HasSubstr("got -1")));
  options.samples = 1;
  EXPECT_THAT([&] { predict_values(target, family, in_batches(inputs, {23}), 23, options); },
              ThrowsMessage<Error>(HasSubstr("got likelihood categorical, expected gaussian")));
}

TEST(PredictValues, GivesOneComponentPerSample) {
  NetworkTarget target = make_target(small_mlp({}, 2, 1), std::make_shared<Gaussian>(Gaussian::Options{}, test_kind()));
  ASSERT_EQ(target.dim(), 4);  // w1, w2, bias, log_noise
  const ListedSamples family(
      torch::tensor({{1.0, 2.0, 0.5, std::log(0.1)}, {0.0, -1.0, 0.0, std::log(3.0)}}, torch::kDouble));
  const torch::Tensor inputs = torch::tensor({{1.0, 1.0}, {2.0, 0.0}, {0.0, 3.0}}, torch::kDouble);
  PredictOptions options;
  options.samples = 2;
  const MixturePrediction result = predict_values(target, family, in_batches(inputs, {1, 2}), 3, options);
  expect_close(result.means, torch::tensor({{3.5, 2.5, 6.5}, {-1.0, 0.0, -3.0}}, torch::kDouble), 1e-14);
  expect_close(result.stds, torch::tensor({{0.1, 0.1, 0.1}, {3.0, 3.0, 3.0}}, torch::kDouble), 1e-14);
  options.samples = 0;
  const MixturePrediction mean = predict_values(target, family, in_batches(inputs, {3}), 3, options);
  ASSERT_EQ(mean.means.sizes(), at::IntArrayRef({1, 3}));
  EXPECT_NEAR(mean.means[0][0].item<double>(), 1.25, 1e-14);
}

}  // namespace
}  // namespace scorevi::posterior
