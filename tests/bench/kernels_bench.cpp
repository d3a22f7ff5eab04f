// One sample + update of ten million weights, in nanoseconds per weight: fused kernels, a copy of the bytes that they
// must touch, and the same arithmetic in eager tensor operations. The argument is the number of threads.
//
// Bytes per weight in float: sample reads mean, log_std and writes theta (12); update reads mean, log_std, score and
// two momenta (20) and writes mean, log_std and the momenta (16). A copy that reads 24 and writes 24 moves as many.
#include <benchmark/benchmark.h>

#include <cstring>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "scorevi/kernels/noise.h"
#include "scorevi/kernels/update.h"
#include "scorevi/params/tensor_exec.h"

namespace {

using namespace scorevi;

constexpr int64_t kWeights = 10'000'000;

enum class Method { kAdvi, kPsmAnalytic, kPsmSampled };

struct Buffers {
  at::Tensor mean = at::zeros({kWeights}), log_std = at::full({kWeights}, -3.0), theta = at::zeros({kWeights}),
             score = at::ones({kWeights}), mean_momentum = at::zeros({kWeights}),
             log_std_momentum = at::zeros({kWeights});
};

Buffers& buffers() {
  static Buffers all;
  return all;
}

float* data(const at::Tensor& tensor) { return tensor.data_ptr<float>(); }

void per_weight(benchmark::State& state) {
  state.counters["ns_per_weight"] =
      benchmark::Counter(1e-9 * kWeights, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

kernels::OptimizerRule momentum_rule() {
  kernels::OptimizerRule rule;
  rule.lr = 1e-12;
  rule.momentum = 0.9;
  rule.first_step = false;
  return rule;
}

void sample(const kernels::NoiseKey& key) {
  Buffers& b = buffers();
  kernels::sample_gaussian(params::exec_for(b.mean), 0, kWeights, key, data(b.mean), data(b.log_std), data(b.theta));
}

kernels::UpdateStats update(const kernels::NoiseKey& key, Method method) {
  Buffers& b = buffers();
  kernels::UpdateInput<float> in;
  in.end = kWeights;
  in.score = data(b.score);
  in.key = key;
  in.prior_std = 1.0;
  const kernels::OptimizerSlot<float> mean = {data(b.mean), data(b.mean_momentum), nullptr};
  const kernels::OptimizerSlot<float> log_std = {data(b.log_std), data(b.log_std_momentum), nullptr};
  const kernels::Exec exec = params::exec_for(b.mean);
  if (method == Method::kAdvi) return kernels::advi_update(exec, in, false, momentum_rule(), mean, log_std);
  kernels::PsmOptions<float> options;
  options.estimator = method == Method::kPsmSampled ? kernels::Estimator::kSampled : kernels::Estimator::kAnalytic;
  return kernels::psm_update(exec, in, options, momentum_rule(), mean, log_std);
}

template <Method kMethod>
void fused(benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  kernels::NoiseKey key;
  for (auto _ : state) {
    sample(key);
    benchmark::DoNotOptimize(update(key, kMethod));
    ++key.step;
  }
  per_weight(state);
}

void sample_only(benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  for (auto _ : state) sample(kernels::NoiseKey{});
  per_weight(state);
}

void copy_of_the_same_bytes(benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  const at::Tensor from = at::ones({6 * kWeights}), to = at::zeros({6 * kWeights});
  for (auto _ : state) {
    at::parallel_for(0, 6 * kWeights, 1 << 16, [&](int64_t begin, int64_t end) {
      memcpy(data(to) + begin, data(from) + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
    });
    benchmark::ClobberMemory();
  }
  per_weight(state);
}

// ADVI with a standard normal prior as a program without fused kernels writes it.
void eager_advi(benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  Buffers& b = buffers();
  for (auto _ : state) {
    const at::Tensor noise = at::randn_like(b.mean);
    const at::Tensor sigma = b.log_std.exp();
    b.theta.copy_(b.mean + sigma * noise);
    const at::Tensor mean_gradient = b.mean - b.score;
    const at::Tensor log_std_gradient = sigma * sigma - b.score * noise * sigma - 1;
    b.mean_momentum.mul_(0.9).add_(mean_gradient);
    b.log_std_momentum.mul_(0.9).add_(log_std_gradient);
    b.mean.add_(b.mean_momentum, -1e-12);
    b.log_std.add_(b.log_std_momentum, -1e-12);
    const double kl = (0.5 * (sigma * sigma + b.mean * b.mean - 1) - b.log_std).sum().item<double>();
    benchmark::DoNotOptimize(kl);
  }
  per_weight(state);
}

}  // namespace

BENCHMARK(copy_of_the_same_bytes)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(sample_only)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_TEMPLATE(fused, Method::kAdvi)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_TEMPLATE(fused, Method::kPsmAnalytic)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_TEMPLATE(fused, Method::kPsmSampled)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(eager_advi)->Arg(1)->Arg(2)->UseRealTime();
