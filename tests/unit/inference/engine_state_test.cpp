// What engines keep: saving and continuing bit for bit, how many buffers they hold, independence of threads.
#include <algorithm>
#include <cmath>
#include <map>

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;
using Make = std::function<std::unique_ptr<Engine>(const params::FlatLayout&, const at::Tensor& like)>;

std::map<std::string, optim::OptimizerOptions> optimizers() {
  return {{"sgd", sgd(1e-3)},
          {"momentum", sgd(1e-3, 0.9)},
          {"adam", adam(1e-2)},
          {"adamw", adamw(1e-2)},
          {"rmsprop", rmsprop(1e-2)}};
}

// Every engine in every form that keeps something of its own.
std::map<std::string, Make> engines(const optim::OptimizerOptions& optimizer) {
  const auto psm = [optimizer](kernels::Estimator estimator, int64_t inner, int64_t samples) -> Make {
    return [=](const params::FlatLayout& layout, const at::Tensor& like) {
      PsmOptions options;
      options.estimator = estimator;
      options.inner_steps = inner;
      options.samples = samples;
      return std::make_unique<ProximalScoreMatching>(options, optimizer, layout, like);
    };
  };
  const auto closed_form = [optimizer](MeanUpdate update) -> Make {
    return [=](const params::FlatLayout& layout, const at::Tensor& like) {
      ClosedFormOptions options;
      options.mean_update = update;
      return std::make_unique<ClosedForm>(options, optimizer, layout, like);
    };
  };
  return {
      {"psm", psm(kernels::Estimator::kAnalytic, 1, 1)},
      {"psm_sampled_inner_3", psm(kernels::Estimator::kSampled, 3, 1)},
      {"psm_adaptive_inner_4", psm(kernels::Estimator::kAdaptive, 4, 1)},
      {"psm_inner_3_samples_2", psm(kernels::Estimator::kAnalytic, 3, 2)},
      {"closed_form_newton", closed_form(MeanUpdate::kNewton)},
      {"closed_form_optimizer", closed_form(MeanUpdate::kOptimizer)},
      {"advi",
       [optimizer](const params::FlatLayout& layout, const at::Tensor& like) {
         return std::make_unique<Advi>(AdviOptions{}, optimizer, layout, like);
       }},
      {"map", [optimizer](const params::FlatLayout& layout,
                          const at::Tensor& like) { return std::make_unique<Map>(optimizer, layout, like); }},
  };
}

std::unique_ptr<variational::Family> family_for(const std::string& engine, const at::Tensor& like) {
  if (engine == "map") return std::make_unique<variational::PointMass>(at::full_like(like, 0.1));
  return std::make_unique<DiagonalGaussian>(at::full_like(like, 0.1), at::full_like(like, -1.0));
}

targets::DiagonalGaussianTarget target_of(int64_t n, at::ScalarType type = at::kDouble) {
  const at::Tensor ramp = at::linspace(0.5, 2.0, n, at::TensorOptions(type));
  targets::DiagonalGaussianTarget target(ramp, 1 / ramp);
  target.set_prior(3.0);
  return target;
}

void make_steps(Engine& engine, LogDensity& target, variational::Family& family, int64_t first, int64_t last) {
  for (int64_t step = first; step < last; ++step)
    ASSERT_EQ(engine.step(target, family, info_of(step, /*total=*/20)).status, StepStatus::kOk);
}

// Bit equality, entry by entry.
void expect_same(const variational::Family& a, const variational::Family& b) {
  for (size_t i = 0; i < a.parameters().size(); ++i) expect_equal(a.parameters()[i].second, b.parameters()[i].second);
}

TEST(Resume, ContinuesBitForBitInTheMiddleOfAnOuterIteration) {
  for (const auto& [optimizer_name, optimizer] : optimizers()) {
    for (const auto& [name, make] : engines(optimizer)) {
      SCOPED_TRACE(name + " with " + optimizer_name);
      auto target = target_of(37);
      const auto straight = family_for(name, target.point());
      const auto engine = make(target.layout(), target.point());
      make_steps(*engine, target, *straight, 0, 8);
      params::StateDict live;
      engine->save(live, target.layout());
      straight->save(live, target.layout());
      params::StateDict state = live;  // as a file would hold it
      for (auto& [tensor_name, tensor] : state.tensors) tensor = tensor.clone();
      make_steps(*engine, target, *straight, 8, 14);

      const auto resumed = family_for(name, target.point());
      const auto second = make(target.layout(), target.point());
      resumed->load(state, target.layout());
      second->load(state, target.layout());
      make_steps(*second, target, *resumed, 8, 14);
      expect_same(*straight, *resumed);
    }
  }
}

TEST(Resume, AnotherMethodsStateIsRefused) {
  auto target = target_of(5);
  auto forms = engines(adam(1e-3));
  params::StateDict state;
  forms["psm"](target.layout(), target.point())->save(state, target.layout());
  for (const std::string other : {"psm_adaptive_inner_4", "psm_sampled_inner_3", "closed_form_newton"}) {
    const auto engine = forms[other](target.layout(), target.point());
    EXPECT_EQ(error_of([&] { engine->load(state, target.layout()); }).kind, ErrorKind::kData) << other;
  }
}

// Parameter-sized buffers: the family's, theta and the score of the target, and the engine's.
size_t count(const std::string& name, const Make& make) {
  auto target = target_of(5);
  const auto engine = make(target.layout(), target.point());
  return family_for(name, target.point())->parameters().size() + 2 + engine->buffers().size();
}

TEST(Buffers, CountsAreTheDocumentedOnes) {
  auto momentum = engines(sgd(1e-3, 0.9));
  EXPECT_EQ(count("advi", momentum["advi"]), 6u);
  EXPECT_EQ(count("psm", momentum["psm"]), 6u);
  EXPECT_EQ(count("psm", momentum["psm_sampled_inner_3"]), 8u);
  EXPECT_EQ(count("psm", momentum["psm_adaptive_inner_4"]), 9u);
  EXPECT_EQ(count("psm", momentum["psm_inner_3_samples_2"]), 10u);
  EXPECT_EQ(count("closed_form", momentum["closed_form_newton"]), 5u);
  EXPECT_EQ(count("closed_form", momentum["closed_form_optimizer"]), 5u);
  EXPECT_EQ(count("map", momentum["map"]), 4u);  // 3 where the mean is the network's own buffer
  EXPECT_EQ(count("map", engines(sgd(1e-3))["map"]), 3u);
  EXPECT_EQ(count("advi", engines(adam(1e-3))["advi"]), 8u);
}

// Sees every allocation that LibTorch makes for tensors on this thread.
class AllocationPeak final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t change, size_t, size_t, c10::Device) override {
    now_ += change;
    peak = std::max(peak, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak = 0;

 private:
  int64_t now_ = 0;
};

// Peak bytes that creating the engine and five steps allocate, in units of one parameter-sized buffer. The target's
// own buffers exist before.
double allocated(const std::string& name, const Make& make) {
  const int64_t n = 100000;
  const at::Tensor score = at::ones({n}, at::kFloat);
  FunctionTarget target(score, [&](const at::Tensor&, int64_t) { return Evaluation{0.0, score, 0}; });
  const auto family = family_for(name, target.point());
  const auto peak = std::make_shared<AllocationPeak>();
  c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, peak);
  const auto engine = make(target.layout(), target.point());
  make_steps(*engine, target, *family, 0, 5);
  return static_cast<double>(peak->peak) / static_cast<double>(n * sizeof(float));
}

TEST(Buffers, NoStepAllocatesMoreThanTheEngineHolds) {
  for (const auto& [name, make] : engines(sgd(1e-6, 0.9))) {
    auto target = target_of(5);
    const double held = static_cast<double>(make(target.layout(), target.point())->buffers().size());
    EXPECT_NEAR(allocated(name, make), held, 0.02) << name;
  }
}

TEST(Threads, ResultsAreBitEqual) {
  const int before = at::get_num_threads();
  for (const auto& [name, make] : engines(adam(1e-3))) {
    std::vector<std::unique_ptr<variational::Family>> results;
    std::vector<double> losses;
    for (const int threads : {1, 3}) {
      at::set_num_threads(threads);
      const at::Tensor like = at::zeros({300001}, at::kFloat);
      FunctionTarget target(like, [](const at::Tensor& theta, int64_t) { return Evaluation{0.0, theta * -2 + 1, 0}; });
      results.push_back(family_for(name, like));
      const auto engine = make(target.layout(), like);
      StepStats stats;
      for (int64_t step = 0; step < 4; ++step) stats = engine->step(target, *results.back(), info_of(step));
      losses.push_back(stats.loss);
    }
    SCOPED_TRACE(name);
    expect_same(*results[0], *results[1]);
    EXPECT_EQ(losses[0], losses[1]);
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace scorevi::test
