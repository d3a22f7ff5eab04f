// Bits must not depend on threads or on how a vector is cut into ranges.
#include <thread>

#include "support.h"

namespace scorevi::kernels {
namespace {

template <int kWorkers>
void on_workers(int64_t tasks, void (*body)(void*, int64_t), void* context) {
  std::vector<std::thread> workers;
  for (int w = 0; w < kWorkers; ++w) {
    workers.emplace_back([=] {
      for (int64_t i = tasks - 1 - w; i >= 0; i -= kWorkers) body(context, i);
    });
  }
  for (auto& worker : workers) worker.join();
}

enum class Method { kMap, kAdvi, kSampled, kAdaptive, kClosedForm };
constexpr Method kMethods[] = {Method::kMap, Method::kAdvi, Method::kSampled, Method::kAdaptive, Method::kClosedForm};

template <class T>
struct Problem {
  int64_t n;
  Buffer<T> score, frozen_mean, frozen_log_std, memory;
  TestFamily<T> family;

  explicit Problem(int64_t size)
      : n(size),
        score(wave<T>(n, 3.0, 0.5)),
        frozen_mean(wave<T>(n, 1.0, 0.15)),
        frozen_log_std(wave<T>(n, 0.5, 0.95, -1.0)),
        memory(wave<T>(n, 1.0, 0.4, 1.0)),
        family(wave<T>(n, 1.0, 0.1), wave<T>(n, 0.5, 0.9, -1.0)) {}

  UpdateStats run(const Exec& exec, Method method, int64_t begin, int64_t end) const {
    UpdateInput<T> in = input(n, score, 0.7);
    in.begin = begin;
    in.end = end;
    in.key.seed = 11;
    OptimizerRule rule;
    rule.kind = method == Method::kSampled ? OptimizerKind::kSgd : OptimizerKind::kAdam;
    rule.momentum = 0.9;
    rule.lr = 1e-3;
    rule.bias1 = 0.1;
    rule.bias2 = 0.001;
    const auto mean = family.mean_slot(), log_std = family.log_std_slot();
    PsmOptions<T> options;
    options.alpha = 0.5;
    options.frozen_mean = frozen_mean.ptr();
    options.frozen_log_std = frozen_log_std.ptr();
    options.estimator = method == Method::kAdaptive ? Estimator::kAdaptive : Estimator::kSampled;
    options.curvature = memory.ptr();
    ClosedFormOptions<T> closed;
    closed.average = memory.ptr();
    switch (method) {
      case Method::kMap:
        return map_update(exec, in, rule, mean);
      case Method::kAdvi:
        return advi_update(exec, in, true, rule, mean, log_std);
      case Method::kSampled:
      case Method::kAdaptive:
        return psm_update(exec, in, options, rule, mean, log_std);
      case Method::kClosedForm:
        break;
    }
    return closed_form_update(exec, in, closed, rule, mean, log_std);
  }

  std::vector<std::vector<T>> state() const {
    return {family.mean.host(),          family.log_std.host(),     family.mean_first.host(),
            family.log_std_first.host(), family.mean_second.host(), memory.host()};
  }
};

void expect_equal(const UpdateStats& a, const UpdateStats& b) {
  EXPECT_EQ(a.gradient_sq, b.gradient_sq);
  EXPECT_EQ(a.matching, b.matching);
  EXPECT_EQ(a.proximal, b.proximal);
  EXPECT_EQ(a.kl, b.kl);
  EXPECT_EQ(a.log_prior, b.log_prior);
  EXPECT_EQ(a.sigma_sum, b.sigma_sum);
  EXPECT_EQ(a.log_std_min, b.log_std_min);
  EXPECT_EQ(a.log_std_max, b.log_std_max);
  EXPECT_EQ(a.nonfinite, b.nonfinite);
  EXPECT_EQ(a.count, b.count);
}

template <class T>
void check_threads() {
  const int64_t n = 150001;
  for (const Method method : kMethods) {
    const Problem<T> reference(n);
    const UpdateStats want = reference.run(test_exec(), method, 3, n);
    EXPECT_EQ(want.count, n - 3);
    for (const ParallelFor workers : {on_workers<1>, on_workers<2>, on_workers<7>}) {
      Exec exec = test_exec();
      exec.parallel_for = workers;
      const Problem<T> problem(n);
      expect_equal(problem.run(exec, method, 3, n), want);
      EXPECT_EQ(problem.state(), reference.state());
    }
  }
}

TEST(Determinism, ThreadsDoNotMatterInFloat) { check_threads<float>(); }
TEST(Determinism, ThreadsDoNotMatterInDouble) { check_threads<double>(); }

template <class T>
void check_ranges() {
  const int64_t n = 40000;
  for (const Method method : kMethods) {
    const Problem<T> whole(n), parts(n);
    const UpdateStats want = whole.run(test_exec(), method, 0, n);
    UpdateStats got;
    int64_t begin = 0;
    for (const int64_t end : {int64_t{1}, int64_t{6}, int64_t{6}, int64_t{1024}, int64_t{1023 + 4096}, int64_t{16384},
                              int64_t{16387}, int64_t{39999}, n}) {
      got.merge(parts.run(test_exec(), method, begin, end));
      begin = end;
    }
    EXPECT_EQ(parts.state(), whole.state()) << static_cast<int>(method);
    EXPECT_EQ(got.count, want.count);
    EXPECT_NEAR(got.gradient_sq, want.gradient_sq, 1e-12 * want.gradient_sq);
    EXPECT_NEAR(got.sigma_sum, want.sigma_sum, 1e-12 * want.sigma_sum);
    EXPECT_EQ(got.log_std_min, want.log_std_min);
    EXPECT_EQ(got.log_std_max, want.log_std_max);
  }
}

TEST(Determinism, RangesDoNotMatterInFloat) { check_ranges<float>(); }
TEST(Determinism, RangesDoNotMatterInDouble) { check_ranges<double>(); }

TEST(Determinism, AnEmptyRangeMeasuresNothing) {
  const Problem<float> problem(100);
  const auto before = problem.state();
  const UpdateStats stats = problem.run(test_exec(), Method::kSampled, 42, 42);
  EXPECT_EQ(stats.count, 0);
  EXPECT_EQ(stats.gradient_sq, 0.0);
  EXPECT_EQ(problem.state(), before);
}

// A zero-length range in the middle must not bring its zeros into the extremes.
TEST(Determinism, MergingEmptyStatisticsChangesNothing) {
  UpdateStats all, empty, some;
  some.count = 2;
  some.log_std_min = 1.0;
  some.log_std_max = 2.0;
  all.merge(empty);
  all.merge(some);
  all.merge(empty);
  EXPECT_EQ(all.log_std_min, 1.0);
  EXPECT_EQ(all.log_std_max, 2.0);
}

}  // namespace
}  // namespace scorevi::kernels
