// A whole training step, forward, backward and update, of a multi-layer perceptron with 10 million weights, of ViT-L/32
// and of ResNet-101. The ratios between the methods are what counts; the optimiser is SGD with momentum for all.
//   bench_scorevi --benchmark_filter=TrainStep
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/inference/advi.h"
#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/map.h"
#include "scorevi/inference/psm.h"
#include "scorevi/models/registry.h"
#include "scorevi/posterior/network_target.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"
#include "support/peak_memory.h"

namespace scorevi {
namespace {

constexpr int64_t kRows = 50000;

struct Problem {
  const char* name;
  const char* model;
  std::vector<int64_t> hidden;  // of an mlp
  std::vector<int64_t> input;
  int64_t classes;
  const char* prior_mean;
  std::vector<int64_t> batches;
  int64_t iterations;  // 0 = as many as the benchmark library finds right
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> kTable = {
      {"mlp", "mlp", {2800, 2800}, {784}, 10, "zero", {512, 64}, 0},
      {"vit_l_32", "vit_l_32", {}, {3, 224, 224}, 37, "pretrained", {4}, 5},
      {"resnet101", "resnet101", {}, {3, 224, 224}, 37, "pretrained", {16}, 5},
  };
  return kTable;
}

struct Setup {
  std::unique_ptr<posterior::NetworkTarget> target;
  std::unique_ptr<variational::Family> family;
  std::unique_ptr<inference::Engine> engine;
};

// Random weights have statistics of their own: with the initial ones (mean 0, variance 1) the outputs of a deep network
// overflow, and every step would be refused.
void fit_batch_norm(models::Network& network, const at::Tensor& inputs) {
  const torch::NoGradGuard no_grad;
  for (const auto& module : network.modules())
    if (auto* norm = module->as<torch::nn::BatchNorm2d>()) norm->options.momentum(1.0);
  network.train();
  network.forward(inputs);
}

std::unique_ptr<posterior::NetworkTarget> make_target(const Problem& problem, int64_t batch) {
  models::ModelOptions model;
  model.name = problem.model;
  model.hidden = problem.hidden;
  posterior::NetworkTargetOptions options;
  options.train_rows = kRows;
  options.prior.mean = problem.prior_mean;
  options.batch_norm = posterior::BatchNormPolicy::kFrozen;
  options.channels_last = problem.input.size() == 3;
  torch::manual_seed(1);
  std::vector<int64_t> shape = problem.input;
  shape.insert(shape.begin(), batch);
  const at::Tensor inputs = torch::randn(shape);
  auto network = models::make_network(model, {problem.input}, problem.classes, /*seed=*/1);
  fit_batch_norm(*network, inputs);
  auto target = std::make_unique<posterior::NetworkTarget>(std::move(network),
                                                           posterior::make_likelihood({}, torch::kFloat), options);
  target->set_batch(inputs, torch::randint(problem.classes, {batch}, torch::kLong));
  return target;
}

Setup make_setup(const Problem& problem, const std::string& method, int64_t batch) {
  Setup setup;
  setup.target = make_target(problem, batch);
  const at::Tensor theta = setup.target->point();
  const params::FlatLayout& layout = setup.target->layout();
  optim::OptimizerOptions sgd;
  sgd.name = "sgd";
  sgd.lr = 1e-9;  // the cost of a step does not depend on it, and nothing diverges
  if (method == "map") {
    setup.family = std::make_unique<variational::PointMass>(theta);
    setup.engine = std::make_unique<inference::Map>(sgd, layout, theta);
    return setup;
  }
  setup.family =
      std::make_unique<variational::DiagonalGaussian>(variational::DiagonalGaussian::from_mean(theta, 0.003));
  if (method == "advi") setup.engine = std::make_unique<inference::Advi>(inference::AdviOptions{}, sgd, layout, theta);
  if (method == "closed_form") {
    inference::ClosedFormOptions options;
    options.mean_step = 1e-9;  // as the rate above
    setup.engine = std::make_unique<inference::ClosedForm>(options, sgd, layout, theta);
  }
  if (method == "psm" || method == "psm_k2") {
    inference::PsmOptions options;
    options.inner_steps = method == "psm" ? 1 : 2;
    setup.engine = std::make_unique<inference::ProximalScoreMatching>(options, sgd, layout, theta);
  }
  return setup;
}

void train_step(benchmark::State& state, const Problem& problem, const std::string& method) {
  const test::PeakMemory memory;
  Setup setup = make_setup(problem, method, state.range(0));
  inference::StepInfo info;
  info.total_steps = 1000000;
  for (auto _ : state) {
    const inference::StepStats stats = setup.engine->step(*setup.target, *setup.family, info);
    if (stats.status != inference::StepStatus::kOk) state.SkipWithError("the step was refused");
    ++info.step;
  }
  // theta and gradient, the family's own, the engine's; a point mass aliases theta.
  const std::size_t own = method == "map" ? 0 : 2;
  const std::size_t prior_mean = setup.target->prior()->mean.defined() ? 1 : 0;
  state.counters["buffers"] = static_cast<double>(2 + own + prior_mean + setup.engine->buffers().size());
  state.counters["peak_MiB"] = memory.bytes() / (1 << 20);
  state.counters["buffer_MiB"] = static_cast<double>(setup.target->dim()) * sizeof(float) / (1 << 20);
}

const bool kRegistered = [] {
  for (const Problem& problem : problems())
    for (const char* method : {"map", "advi", "psm", "psm_k2", "closed_form"}) {
      benchmark::internal::Benchmark* added = benchmark::RegisterBenchmark(
          (std::string("TrainStep/") + problem.name + "/" + method).c_str(),
          [&problem, method](benchmark::State& state) { train_step(state, problem, method); });
      for (const int64_t batch : problem.batches) added->Arg(batch);
      if (problem.iterations > 0) added->Iterations(problem.iterations);
      added->Unit(benchmark::kMillisecond)->UseRealTime();
    }
  return true;
}();

}  // namespace
}  // namespace scorevi
