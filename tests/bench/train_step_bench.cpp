// A whole training step of a multi-layer perceptron with 10 million weights: forward, backward, update. The ratios
// between the methods are what counts; the optimiser is SGD with momentum for all.
//   bench_scorevi --benchmark_filter=TrainStep
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <memory>
#include <string>

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

constexpr int64_t kInputs = 784, kHidden = 2800, kClasses = 10, kRows = 50000;

struct Setup {
  std::unique_ptr<posterior::NetworkTarget> target;
  std::unique_ptr<variational::Family> family;
  std::unique_ptr<inference::Engine> engine;
};

std::unique_ptr<posterior::NetworkTarget> make_target(int64_t batch) {
  models::ModelOptions model;
  model.hidden = {kHidden, kHidden};
  posterior::NetworkTargetOptions options;
  options.train_rows = kRows;
  auto target =
      std::make_unique<posterior::NetworkTarget>(models::make_network(model, {{kInputs}}, kClasses, /*seed=*/1),
                                                 posterior::make_likelihood({}, torch::kFloat), options);
  torch::manual_seed(1);
  target->set_batch(torch::randn({batch, kInputs}), torch::randint(kClasses, {batch}, torch::kLong));
  return target;
}

Setup make_setup(const std::string& method, int64_t batch) {
  Setup setup;
  setup.target = make_target(batch);
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
  setup.family = std::make_unique<variational::DiagonalGaussian>(variational::DiagonalGaussian::from_mean(theta, 0.01));
  if (method == "advi") setup.engine = std::make_unique<inference::Advi>(inference::AdviOptions{}, sgd, layout, theta);
  if (method == "closed_form")
    setup.engine = std::make_unique<inference::ClosedForm>(inference::ClosedFormOptions{}, sgd, layout, theta);
  if (method == "psm" || method == "psm_k2") {
    inference::PsmOptions options;
    options.inner_steps = method == "psm" ? 1 : 2;
    setup.engine = std::make_unique<inference::ProximalScoreMatching>(options, sgd, layout, theta);
  }
  return setup;
}

void train_step(benchmark::State& state, const std::string& method) {
  const test::PeakMemory memory;
  Setup setup = make_setup(method, state.range(0));
  inference::StepInfo info;
  info.total_steps = 1000000;
  for (auto _ : state) {
    const inference::StepStats stats = setup.engine->step(*setup.target, *setup.family, info);
    if (stats.status != inference::StepStatus::kOk) state.SkipWithError("the step was refused");
    ++info.step;
  }
  // theta and gradient, the family's own, the engine's; a point mass aliases theta.
  const std::size_t own = method == "map" ? 0 : 2;
  state.counters["buffers"] = static_cast<double>(2 + own + setup.engine->buffers().size());
  state.counters["peak_MiB"] = memory.bytes() / (1 << 20);
  state.counters["buffer_MiB"] = static_cast<double>(setup.target->dim()) * sizeof(float) / (1 << 20);
}

const bool kRegistered = [] {
  for (const char* method : {"map", "advi", "psm", "psm_k2", "closed_form"})
    benchmark::RegisterBenchmark((std::string("TrainStep/") + method).c_str(),
                                 [method](benchmark::State& state) { train_step(state, method); })
        ->Arg(512)
        ->Arg(64)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace scorevi
