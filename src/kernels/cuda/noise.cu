#include "backend.h"
#include "cuda/group_noise.h"

namespace scorevi::kernels::cuda {
namespace {

template <class T>
struct FillBody {
  FillArguments<T> a;
  __device__ void operator()(const Group& group, NoResult&) const {
    T noise[4];
    normal_group(a.key, 0, group.base, noise);
    for (int k = group.low; k < group.high; ++k) a.out[group.base + k] = noise[k];
  }
};

template <class T>
struct SampleBody {
  SampleArguments<T> a;
  __device__ void operator()(const Group& group, NoResult&) const {
    T noise[4];
    normal_group(a.key, 0, group.base, noise);
    for (int k = group.low; k < group.high; ++k) {
      const int64_t j = group.base + k;
      a.theta[j] = a.mean[j] + generic::exponential(a.log_std[j]) * noise[k];
    }
  }
};

template <class T>
struct AccumulateBody {
  AccumulateArguments<T> a;
  __device__ void operator()(const Group& group, NoResult&) const {
    T noise[4];
    normal_group(a.key, 0, group.base, noise);
    const T share = T(1) / static_cast<T>(a.samples);
    for (int k = group.low; k < group.high; ++k) {
      const int64_t j = group.base + k;
      const T part = a.score[j] * share;
      a.score_mean[j] = (a.first ? T(0) : a.score_mean[j]) + part;
      a.score_noise_mean[j] = (a.first ? T(0) : a.score_noise_mean[j]) + part * noise[k];
    }
  }
};

template <class T>
struct FiniteBody {
  FiniteArguments<T> a;
  __device__ void operator()(const Group& group, FiniteCheck& all) const {
    for (int k = group.low; k < group.high; ++k) {
      const int64_t j = group.base + k;
      const double x = a.values[j];
      FiniteCheck one;
      one.sum_sq = x * x;
      if (!generic::is_finite(a.values[j])) {
        one.nonfinite = 1;
        one.first_nonfinite = j;
      }
      generic::merge_finite(all, one);
    }
  }
};

template <class T>
NoResult launch(const Exec& exec, int64_t begin, int64_t end, const FillArguments<T>& a) {
  return visit(exec, begin, end, FillBody<T>{a});
}
template <class T>
NoResult launch(const Exec& exec, int64_t begin, int64_t end, const SampleArguments<T>& a) {
  return visit(exec, begin, end, SampleBody<T>{a});
}
template <class T>
NoResult launch(const Exec& exec, int64_t begin, int64_t end, const AccumulateArguments<T>& a) {
  return visit(exec, begin, end, AccumulateBody<T>{a});
}
template <class T>
FiniteCheck launch(const Exec& exec, int64_t begin, int64_t end, const FiniteArguments<T>& a) {
  return measure<FiniteCheck>(exec, begin, end, FiniteBody<T>{a});
}

}  // namespace

template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments) {
  return launch(exec, begin, end, arguments);
}

#define SCOREVI_INSTANTIATE(...) \
  template __VA_ARGS__::Result run<__VA_ARGS__>(const Exec&, int64_t, int64_t, const __VA_ARGS__&);
SCOREVI_NOISE_KERNELS(SCOREVI_INSTANTIATE, float)
SCOREVI_NOISE_KERNELS(SCOREVI_INSTANTIATE, double)

}  // namespace scorevi::kernels::cuda
