#include "scorevi/posterior/batch_norm.h"

#include "scorevi/posterior/predict.h"
#include "scorevi/variational/point_mass.h"
#include "test_networks.h"

namespace scorevi::posterior {
namespace {

using namespace test;

// x [B, 2, 3, 3] -> 1x1 convolution, batch norm, tanh, mean over pixels -> 2 logits.
struct NormedNetwork : models::Network {
  NormedNetwork() {
    torch::manual_seed(3);
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 4, 1).bias(false)));
    norm = register_module("norm", torch::nn::BatchNorm2d(4));
    fc = register_module("fc", torch::nn::Linear(4, 2));
    to(test_device(), torch::kDouble);
    const torch::NoGradGuard no_grad;
    norm->running_mean.fill_(0.2);
    norm->running_var.fill_(0.7);
  }
  at::Tensor forward(at::Tensor x) override {
    return fc->forward(norm->forward(conv->forward(x)).tanh().mean(c10::IntArrayRef{2, 3}));
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear fc{nullptr};
};

class BatchNorm : public ::testing::Test {
 protected:
  NetworkTarget make(BatchNormPolicy policy, int64_t micro_batch = 0) {
    network = std::make_shared<NormedNetwork>();
    NetworkTargetOptions options;
    options.train_rows = 100;
    options.batch_norm = policy;
    options.micro_batch = micro_batch;
    NetworkTarget target(network, std::make_shared<Categorical>(), options);
    target.set_batch(inputs, classes);
    return target;
  }

  static std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> result;
    for (const at::Tensor& tensor : tensors) result.push_back(tensor.clone());
    return result;
  }

  bool buffers_equal(const std::vector<at::Tensor>& expected) const {
    const std::vector<at::Tensor> now = network->buffers();
    for (std::size_t i = 0; i < now.size(); ++i)
      if (!now[i].equal(expected[i])) return false;
    return true;
  }

  at::Tensor predict(NetworkTarget& target, const EachBatch& recalibrate = {}) {
    const variational::PointMass q(target.point());
    at::Tensor outputs = torch::empty({12, 2}, test_kind());
    for_each_prediction(
        target, q, [&](const VisitBatch& visit) { visit(0, inputs); }, {0, 0, recalibrate},
        [&](int64_t, int64_t, const at::Tensor& out) { outputs.copy_(out); });
    return outputs;
  }

  at::Tensor inputs = torch::randn({12, 2, 3, 3}, test_kind()) * 3 + 1;
  at::Tensor classes = torch::tensor({0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0}, torch::kLong).to(test_device());
  std::shared_ptr<NormedNetwork> network;
};

TEST_F(BatchNorm, FrozenStatisticsAreUsedAndKeptInTraining) {
  NetworkTarget target = make(BatchNormPolicy::kFrozen);
  const std::vector<at::Tensor> before = copies(network->buffers());
  const double log_density = target.evaluate(target.point()).log_density;
  EXPECT_TRUE(buffers_equal(before));
  network->eval();
  const at::Tensor nll = at::cross_entropy_loss(network->forward(inputs), classes);
  EXPECT_NEAR(log_density, -100 * nll.item<double>(), 1e-10);
}

TEST_F(BatchNorm, RunningStatisticsFollowTheBatchesInTrainingOnly) {
  NetworkTarget target = make(BatchNormPolicy::kRunning);
  std::vector<at::Tensor> before = copies(network->buffers());
  target.evaluate(target.point());
  const at::Tensor activations = network->conv->forward(inputs).detach();
  expect_close(network->norm->running_mean, 0.9 * before[0] + 0.1 * activations.mean(c10::IntArrayRef{0, 2, 3}), 1e-12);
  before = copies(network->buffers());
  const at::Tensor first = predict(target);
  EXPECT_TRUE(predict(target).equal(first));
  EXPECT_TRUE(buffers_equal(before));
}

TEST_F(BatchNorm, RecalibrationAveragesOverItsBatchesAndLeavesNoTrace) {
  NetworkTarget target = make(BatchNormPolicy::kRecalibrate);
  const std::vector<at::Tensor> before = copies(network->buffers());
  const at::Tensor first = inputs.slice(0, 0, 5) * 2, second = inputs.slice(0, 5, 12);
  const at::Tensor outputs = predict(target, [&](const VisitBatch& visit) {
    visit(0, first);
    visit(5, second);
  });
  EXPECT_TRUE(buffers_equal(before));
  EXPECT_TRUE(network->norm->is_training());
  EXPECT_EQ(network->norm->options.momentum(), 0.1);

  const torch::NoGradGuard no_grad;
  const at::Tensor a = network->conv->forward(first), b = network->conv->forward(second);
  const std::vector<int64_t> axes = {0, 2, 3};
  network->norm->running_mean.copy_((a.mean(axes) + b.mean(axes)) / 2);
  network->norm->running_var.copy_((a.var(axes, /*unbiased=*/true) + b.var(axes, /*unbiased=*/true)) / 2);
  network->eval();
  expect_close(outputs, network->forward(inputs), 1e-12);
}

TEST_F(BatchNorm, MicroBatchesGiveTheScoreOfTheWholeBatch) {
  NetworkTarget whole = make(BatchNormPolicy::kFrozen);
  const inference::Evaluation expected = whole.evaluate(whole.point());
  const at::Tensor score = expected.score.clone();
  NetworkTarget cut = make(BatchNormPolicy::kFrozen, /*micro_batch=*/5);
  const inference::Evaluation result = cut.evaluate(cut.point());
  EXPECT_NEAR(result.log_density, expected.log_density, 1e-10);
  EXPECT_EQ(result.data_used, 12);
  expect_close(result.score, score, 1e-12);
}

class MixedPrecision : public ::testing::Test {
 protected:
  std::unique_ptr<NetworkTarget> make(Precision precision, int64_t train_rows = 64, double dropout = 0) const {
    NetworkTargetOptions options;
    options.train_rows = train_rows;
    options.precision = precision;
    models::ModelOptions model;
    model.hidden = {32};
    model.dropout = dropout;
    model.activation = "tanh";  // nothing flips with the last bit
    auto network = models::make_network(model, {{16}}, 4, /*seed=*/1);
    network->to(test_device());
    auto target = std::make_unique<NetworkTarget>(network, std::make_shared<Categorical>(), options);
    torch::manual_seed(1);
    target->set_batch(torch::randn({64, 16}), torch::randint(4, {64}, torch::kLong));
    return target;
  }
  static double difference(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).norm() / b.norm()).item<double>();
  }
};

TEST_F(MixedPrecision, ChangesTheForwardPassAlone) {
  for (const Precision precision : {Precision::kBfloat16, Precision::kFloat16}) {
    const auto full = make(Precision::kFloat32), half = make(precision);
    const inference::Evaluation expected = full->evaluate(full->point()), result = half->evaluate(half->point());
    EXPECT_EQ(result.score.scalar_type(), torch::kFloat);
    EXPECT_EQ(half->point().scalar_type(), torch::kFloat);
    EXPECT_NE(result.log_density, expected.log_density);
    EXPECT_NEAR(result.log_density / expected.log_density, 1, 0.02);
    EXPECT_LT(difference(result.score, expected.score), precision == Precision::kFloat16 ? 0.002 : 0.02);
    // Weights that change between steps are cast anew.
    half->point().mul_(0.5);
    full->point().mul_(0.5);
    EXPECT_NEAR(half->evaluate(half->point()).log_density / full->evaluate(full->point()).log_density, 1, 0.02);
    EXPECT_NE(half->evaluate(half->point()).log_density, result.log_density);
  }
}

// N/tau of 10^9 would overflow float16 at once, were it not kept out of the network.
TEST_F(MixedPrecision, Float16TakesAnyNumberOfRows) {
  const auto full = make(Precision::kFloat32, 1000000000), half = make(Precision::kFloat16, 1000000000);
  EXPECT_LT(difference(half->evaluate(half->point()).score, full->evaluate(full->point()).score), 0.002);
  EXPECT_EQ(half->gradient_scale(), 65536);
}

TEST_F(MixedPrecision, Float16HalvesItsScaleUntilGradientsAreFinite) {
  const auto full = make(Precision::kFloat32), half = make(Precision::kFloat16);
  params::StateDict state;
  half->save(state);
  state.set_double("target.gradient_scale", 1 << 24);
  half->load(state);
  EXPECT_LT(difference(half->evaluate(half->point()).score, full->evaluate(full->point()).score), 0.002);
  EXPECT_LT(half->gradient_scale(), 1 << 24);
  EXPECT_GE(half->gradient_scale(), 1024);
  half->save(state);
  const auto other = make(Precision::kFloat16);
  other->load(state);
  EXPECT_EQ(other->gradient_scale(), half->gradient_scale());
  params::StateDict none;
  full->save(none);
  EXPECT_TRUE(none.metadata.empty());
}

// The second sample of a step, whose gradients overflow at first: the random choices are still its own.
TEST_F(MixedPrecision, Float16RepeatsWithTheSameDropout) {
  const auto full = make(Precision::kFloat32, 64, 0.5), half = make(Precision::kFloat16, 64, 0.5);
  params::StateDict state;
  half->save(state);
  std::vector<at::Tensor> scores;
  for (NetworkTarget* target : {full.get(), half.get()}) {
    target->set_step(/*seed=*/3, /*step=*/5);
    target->evaluate(target->point());
    state.set_double("target.gradient_scale", 1 << 24);
    target->load(state);
    scores.push_back(target->evaluate(target->point()).score.clone());
  }
  EXPECT_LT(half->gradient_scale(), 1 << 24);
  EXPECT_LT(difference(scores[1], scores[0]), 0.01);
}

}  // namespace
}  // namespace scorevi::posterior
