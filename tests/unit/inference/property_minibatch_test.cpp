// Property 2: over the mini-batches of an epoch the gradients average to that of the full batch.
#include <cmath>

#include "scorevi/targets/logistic_regression.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

using Batches = std::vector<std::vector<int64_t>>;

// The step that engine makes at one rate-1 descent, joined into one vector [2 D].
at::Tensor gradient(Engine& engine, LogDensity& target, const DiagonalGaussian& q, const StepInfo& info) {
  DiagonalGaussian moved = copy(q);
  engine.step(target, moved, info);
  return at::cat({q.mean() - moved.mean(), q.log_std() - moved.log_std()});
}

void expect_batches_average(Engine& engine) {
  const Json& golden = golden_vi()["logistic_minibatch"][0];
  targets::LogisticRegression target(mat(golden["x"]), vec(golden["y"]));
  target.set_prior(2.0);
  const DiagonalGaussian q(vec(golden["theta"]), vec({-0.7, -1.0, -1.1}));
  target.set_batch({});
  const at::Tensor full = gradient(engine, target, q, info_of(0));
  for (const Batches& batches : {Batches{{0, 1}, {2, 3}, {4, 5}}, Batches{{5, 0, 3, 1}, {4, 2}}}) {
    at::Tensor sum = at::zeros_like(full);
    for (const auto& batch : batches) {
      target.set_batch(batch);
      sum += gradient(engine, target, q, info_of(0)) * (static_cast<double>(batch.size()) / 6);
    }
    expect_near(sum, full, 1e-12);
  }
}

TEST(Property2, MinibatchGradientsAverageToTheFullOne) {
  const params::FlatLayout layout = params::FlatLayout::single(3);
  const at::Tensor like = at::zeros({3}, at::kDouble);
  for (const auto estimator : {kernels::Estimator::kSampled, kernels::Estimator::kAnalytic}) {
    PsmOptions options;
    options.estimator = estimator;
    options.min_log_std = -1e6;
    options.max_log_std = 1e6;
    ProximalScoreMatching psm(options, sgd(1), layout, like);
    expect_batches_average(psm);
  }
  Advi advi(AdviOptions{}, sgd(1), layout, like);
  expect_batches_average(advi);
}

}  // namespace
}  // namespace scorevi::test
