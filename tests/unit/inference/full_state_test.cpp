// What the engines of a full Gaussian, and those on LibTorch's operations, keep: saving and continuing, buffers,
// memory, refusing bad values, independence of threads.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "scorevi/inference/advi_full.h"
#include "scorevi/inference/bam.h"
#include "scorevi/inference/fisher.h"
#include "scorevi/inference/gsm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/registry.h"
#include "unit/inference/full_tools.h"

namespace scorevi::test {
namespace {

using namespace inference;
using Make = std::function<std::unique_ptr<Engine>(const params::FlatLayout&, const at::Tensor& like)>;

std::map<std::string, Make> engines(const optim::OptimizerOptions& optimizer, int64_t samples) {
  PsmOptions psm;
  psm.inner_steps = 3;
  BamOptions bam;
  bam.samples = samples;
  ClosedFormOptions closed_form;
  closed_form.beta = 0.1;
  GaussianOptions fisher;
  AdviOptions advi;
  psm.samples = closed_form.samples = fisher.samples = advi.samples = samples;
  using Layout = params::FlatLayout;
  return {
      {"psm_full",
       [=](const Layout& layout, const at::Tensor& like) {
         return std::make_unique<ProximalScoreMatchingFull>(psm, optimizer, layout, like);
       }},
      {"advi_full", [=](const Layout& layout,
                        const at::Tensor& like) { return std::make_unique<AdviFull>(advi, optimizer, layout, like); }},
      {"closed_form_full",
       [=](const Layout&, const at::Tensor&) { return std::make_unique<ClosedFormFull>(closed_form); }},
      {"gsm_full", [=](const Layout&, const at::Tensor&) { return std::make_unique<Gsm>(GaussianOptions{samples}); }},
      {"bam_full", [=](const Layout&, const at::Tensor&) { return std::make_unique<Bam>(bam); }},
      {"bam", [=](const Layout&, const at::Tensor& like) { return std::make_unique<BamDiagonal>(bam, like); }},
      {"fisher", [=](const Layout& layout,
                     const at::Tensor& like) { return std::make_unique<Fisher>(fisher, optimizer, layout, like); }},
  };
}

bool is_full(const std::string& name) { return name.find("full") != std::string::npos; }

std::unique_ptr<variational::Family> family_for(const std::string& name, const at::Tensor& like) {
  if (is_full(name)) return std::make_unique<FullGaussian>(FullGaussian::from_mean(at::full_like(like, 0.1), 0.5));
  return std::make_unique<DiagonalGaussian>(at::full_like(like, 0.1), at::full_like(like, -1.0));
}

// N(1, 1/2) in each coordinate, in a layout of two parameters; `bad` puts NaN into coordinate 2 of one evaluation.
class SplitTarget final : public LogDensity {
 public:
  SplitTarget(int64_t n, at::ScalarType type = at::kDouble, int64_t bad = -1) : bad_(bad) {
    layout_.append("body.weight", {n - 2, 1});
    layout_.append("head", {2});
    point_ = at::zeros({n}, type);
    score_ = at::zeros({n}, type);
    product_ = at::zeros({n}, type);
  }
  int64_t dim() const override { return layout_.dim(); }
  const params::FlatLayout& layout() const override { return layout_; }
  at::Tensor point() override { return point_; }
  Evaluation evaluate(const at::Tensor& theta) override {
    score_.copy_(theta).sub_(1).mul_(-2);
    if (evaluations++ == bad_) score_[2].fill_(std::nan(""));
    return {-0.5, score_, 0};
  }
  bool has_hessian_product() const override { return true; }
  at::Tensor hessian_product(const at::Tensor&, const at::Tensor& v) override { return product_.copy_(v).mul_(-2); }
  int64_t evaluations = 0;

 private:
  int64_t bad_;
  params::FlatLayout layout_;
  at::Tensor point_, score_, product_;
};

void make_steps(Engine& engine, LogDensity& target, variational::Family& family, int64_t first, int64_t last) {
  for (int64_t step = first; step < last; ++step)
    ASSERT_EQ(engine.step(target, family, info_of(step, /*total=*/20)).status, StepStatus::kOk);
}

void expect_same(const variational::Family& a, const variational::Family& b) {
  for (size_t i = 0; i < a.parameters().size(); ++i) expect_equal(a.parameters()[i].second, b.parameters()[i].second);
}

params::StateDict state_of(const Engine& engine, const variational::Family& family, const params::FlatLayout& layout) {
  params::StateDict state;
  engine.save(state, layout);
  family.save(state, layout);
  for (auto& [name, tensor] : state.tensors) tensor = tensor.clone();
  return state;
}

TEST(FullResume, ContinuesBitForBit) {
  for (const auto& optimizer : {sgd(1e-3, 0.9), adam(1e-2), rmsprop(1e-2)}) {
    for (const auto& [name, make] : engines(optimizer, 3)) {
      SCOPED_TRACE(name);
      SplitTarget target(9);
      const auto straight = family_for(name, target.point());
      const auto engine = make(target.layout(), target.point());
      make_steps(*engine, target, *straight, 0, 8);
      params::StateDict state = state_of(*engine, *straight, target.layout());
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

TEST(FullResume, AnotherMethodsStateIsRefused) {
  SplitTarget target(5);
  const auto all = engines(adam(1e-3), 2);
  const auto advi = all.at("advi_full")(target.layout(), target.point());
  const params::StateDict state = state_of(*advi, *family_for("advi_full", target.point()), target.layout());
  for (const char* other : {"psm_full", "fisher"}) {
    const auto engine = all.at(other)(target.layout(), target.point());
    EXPECT_EQ(error_of([&] { engine->load(state, target.layout()); }).kind, ErrorKind::kData) << other;
  }
}

TEST(FullTrouble, BadValuesChangeNothingAndNameTheElement) {
  const std::set<std::string> closed_forms = {"gsm_full", "bam_full", "closed_form_full"};  // they leave bad draws out
  for (const auto& [name, make] : engines(adam(1e-2), 2)) {
    if (closed_forms.count(name) > 0) continue;
    SCOPED_TRACE(name);
    SplitTarget target(5, at::kDouble, /*bad=*/2 * 4 + 1);  // the last sample of inner step 1 of an outer iteration
    const auto family = family_for(name, target.point());
    const auto engine = make(target.layout(), target.point());
    make_steps(*engine, target, *family, 0, 4);
    const params::StateDict before = state_of(*engine, *family, target.layout());
    const StepStats stats = engine->step(target, *family, info_of(4, 20));
    EXPECT_EQ(stats.status, StepStatus::kNonFiniteScore);
    EXPECT_EQ(stats.bad_index, 2);
    EXPECT_EQ(stats.nonfinite, 1);
    EXPECT_EQ(stats.evaluations, name == "fisher" ? 4 : 2);  // with the Hessian product of the first sample
    const params::StateDict after = state_of(*engine, *family, target.layout());
    EXPECT_EQ(after.metadata, before.metadata);
    for (const auto& [tensor_name, tensor] : before.tensors) expect_equal(after.tensor(tensor_name), tensor);
    EXPECT_EQ(engine->step(target, *family, info_of(4, 20)).status, StepStatus::kOk);
  }
}

TEST(FullTrouble, ValuesThatLeaveTheFiniteRangeAreDivergence) {
  SplitTarget target(5);
  AdviFull engine(AdviOptions{}, sgd(1e308), target.layout(), target.point());
  FullGaussian q = FullGaussian::from_mean(target.point(), 0.5);
  engine.step(target, q, info_of(0));
  const StepStats stats = engine.step(target, q, info_of(1));
  EXPECT_NE(stats.status, StepStatus::kOk);
  EXPECT_GE(stats.bad_index, 0);
}

TEST(FullGroups, RatesByNameHoldForTheRowsOfTheFactor) {
  SplitTarget target(5);
  optim::OptimizerOptions options = sgd(1e-2);
  options.groups.push_back({"head", 1e-3, std::nullopt});
  options.weight_decay = 0.5;
  FullGaussian plain = FullGaussian::from_mean(at::ones({5}, at::kDouble), 0.5), grouped = copy(plain);
  const FullGaussian before = copy(plain);
  AdviFull(AdviOptions{}, sgd(1e-2), target.layout(), target.point()).step(target, plain, info_of(0));
  AdviFull(AdviOptions{}, options, target.layout(), target.point()).step(target, grouped, info_of(0));
  const at::Tensor share = vec({1.0, 1.0, 1.0, 0.1, 0.1}), rate = share * 1e-2;
  expect_near(before.factor() - grouped.factor(), (before.factor() - plain.factor()) * share.unsqueeze(1), 1e-12);
  // Weight decay draws the mean alone.
  expect_near(before.mean() - grouped.mean(), (before.mean() - plain.mean()) * share + rate * 0.5 * before.mean(),
              1e-9);
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

// Peak bytes of making family and engine and of five steps, in units of `unit`.
double allocated(const std::string& name, const Make& make, SplitTarget& target, double unit) {
  const auto peak = std::make_shared<AllocationPeak>();
  c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, peak);
  const auto family = family_for(name, target.point());
  const auto engine = make(target.layout(), target.point());
  make_steps(*engine, target, *family, 0, 5);
  return static_cast<double>(peak->peak) / unit;
}

TEST(FullBuffers, DiagonalEnginesAllocateNoMoreThanTheyHold) {
  const int64_t n = 1000000;
  SplitTarget target(n, at::kFloat);
  for (const char* name : {"bam", "fisher"}) {
    const Make make = engines(sgd(1e-6, 0.9), 2).at(name);
    const double held = 2 + static_cast<double>(make(target.layout(), target.point())->buffers().size());
    EXPECT_NEAR(allocated(name, make, target, static_cast<double>(n * sizeof(float))), held, 0.04) << name;
  }
}

TEST(FullBuffers, MatricesAreAsManyAsTheRegistrySays) {
  const int64_t n = 400;
  SplitTarget target(n);
  const double unit = static_cast<double>(n * n * sizeof(double));
  std::map<std::string, double> largest;
  for (const int64_t samples : {4, 250}) {
    for (const auto& [name, make] : engines(adam(1e-4), samples)) {
      if (!is_full(name)) continue;
      const std::string method = name == "closed_form_full" ? "psm" : name.substr(0, name.find('_'));
      const auto found =
          std::find_if(methods().begin(), methods().end(), [&](const MethodInfo& info) { return info.name == method; });
      const double peak = allocated(name, make, target, unit);
      const double batch = static_cast<double>(samples) / static_cast<double>(n);  // of [samples, D], beside them
      EXPECT_LE(peak, static_cast<double>(found->needs.matrices) + 8 * batch) << name << samples;
      largest[method] = std::max(largest[method], peak - 3 * batch);
    }
  }
  for (const MethodInfo& method : methods()) {
    if (method.needs.matrices > 0) {
      EXPECT_GT(largest[method.name], static_cast<double>(method.needs.matrices) - 1.5) << method.name;
    }
  }
}

TEST(FullThreads, DiagonalEnginesAreBitEqual) {
  const int before = at::get_num_threads();
  for (const char* name : {"bam", "fisher"}) {
    std::vector<std::unique_ptr<variational::Family>> results;
    for (const int threads : {1, 3}) {
      at::set_num_threads(threads);
      SplitTarget target(300001, at::kFloat);
      results.push_back(family_for(name, target.point()));
      const auto engine = engines(adam(1e-3), 2).at(name)(target.layout(), target.point());
      make_steps(*engine, target, *results.back(), 0, 4);
    }
    SCOPED_TRACE(name);
    expect_same(*results[0], *results[1]);
  }
  at::set_num_threads(before);
}

TEST(FullSeed, StepsFollowFromSeedAndStepAlone) {
  for (const auto& [name, make] : engines(adam(1e-2), 2)) {
    SCOPED_TRACE(name);
    const auto result = [&name = name, &make = make](uint64_t seed, int64_t step) {
      SplitTarget target(6);
      auto family = family_for(name, target.point());
      // A target that the first step does not reach, so that the noise shows.
      FunctionTarget bent(target.point(), [](const at::Tensor& theta, int64_t) {
        return Evaluation{0.0, -theta.sin() - 0.5, 0};
      });
      const auto engine = make(target.layout(), target.point());
      LogDensity& used = name == "fisher" ? static_cast<LogDensity&>(target) : bent;
      engine->step(used, *family, info_of(step, 20, seed));
      return family;
    };
    const auto first = result(7, 3);
    expect_same(*first, *result(7, 3));
    EXPECT_FALSE(at::equal(first->parameters()[0].second, result(8, 3)->parameters()[0].second));
    EXPECT_FALSE(at::equal(first->parameters()[0].second, result(7, 4)->parameters()[0].second));
  }
}

}  // namespace
}  // namespace scorevi::test
