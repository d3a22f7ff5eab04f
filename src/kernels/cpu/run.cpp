#include <algorithm>
#include <vector>

#include "backend.h"
#include "cpu/task.h"

namespace scorevi::kernels::cpu {
namespace {

// Elements of one task: a multiple of the tile, on a fixed global grid.
constexpr int64_t kTaskElements = 16384;

template <class A>
struct Job {
  Task<A> task;
  const A* arguments;
  int64_t begin, end, first_task;
  std::vector<typename A::Result>* results;

  typename A::Result visit(int64_t i) const {
    const int64_t base = (first_task + i) * kTaskElements;
    return task(*arguments, std::max(begin, base), std::min(end, base + kTaskElements));
  }
};

template <class A>
void visit_task(void* context, int64_t i) {
  const auto& job = *static_cast<const Job<A>*>(context);
  (*job.results)[static_cast<std::size_t>(i)] = job.visit(i);
}

}  // namespace

template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments) {
  typename A::Result all;
  if (begin >= end) return all;
  const int64_t first = begin / kTaskElements;
  const int64_t tasks = (end - 1) / kTaskElements - first + 1;
  std::vector<typename A::Result> results;
  Job<A> job = {task_for<A>(instruction_set()), &arguments, begin, end, first, &results};
  if (exec.parallel_for == nullptr || tasks == 1) {
    for (int64_t i = 0; i < tasks; ++i) all.merge(job.visit(i));
    return all;
  }
  results.resize(static_cast<std::size_t>(tasks));
  exec.parallel_for(tasks, visit_task<A>, &job);
  for (const auto& result : results) all.merge(result);
  return all;
}

#define SCOREVI_INSTANTIATE(...) \
  template __VA_ARGS__::Result run<__VA_ARGS__>(const Exec&, int64_t, int64_t, const __VA_ARGS__&);
SCOREVI_ALL_KERNELS(SCOREVI_INSTANTIATE)

}  // namespace scorevi::kernels::cpu
