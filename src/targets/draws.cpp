#include "draws.h"

#include <cmath>

#include <ATen/ops/empty.h>

#include "scorevi/core/check.h"
#include "scorevi/params/tensor_exec.h"

namespace scorevi::targets {
namespace {

// Streams of targets: a step of its own keeps them apart from generated data sets.
CounterRng part_stream(uint64_t seed, Part part) {
  return CounterRng(seed, Purpose::kData, /*step=*/1, static_cast<uint32_t>(part));
}

}  // namespace

at::Tensor uniforms(uint64_t seed, Part part, int64_t n) {
  const CounterRng rng = part_stream(seed, part);
  at::Tensor result = at::empty({n}, at::TensorOptions(at::kDouble));
  auto* out = result.mutable_data_ptr<double>();
  for (int64_t i = 0; i < n; ++i) out[i] = rng.uniform(static_cast<uint64_t>(i));
  return result;
}

at::Tensor normals(uint64_t seed, Part part, int64_t rows, int64_t n) {
  at::Tensor result = at::empty({rows, n}, at::TensorOptions(at::kDouble));
  kernels::fill_normal<double>(params::exec_for(result), 0, rows * n,
                               {seed, /*step=*/1, static_cast<uint32_t>(part), Purpose::kData},
                               result.mutable_data_ptr<double>());
  return result;
}

void fill_normal(const kernels::NoiseKey& key, at::Tensor theta) {
  SCOREVI_CHECK(theta.scalar_type() == at::kDouble && theta.is_contiguous());
  kernels::fill_normal<double>(params::exec_for(theta), 0, theta.numel(), key, theta.mutable_data_ptr<double>());
}

CounterRng stream_of(const kernels::NoiseKey& key) { return CounterRng(key.seed, key.purpose, key.step, key.sample); }

double draw_gamma(const CounterRng& rng, uint64_t first, double shape) {
  // Below 1: Gamma(shape) = Gamma(shape + 1) U^(1 / shape).
  if (shape < 1) return draw_gamma(rng, first + 4, shape + 1) * std::pow(rng.uniform(first), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;; first += 4) {
    const double x = rng.normal(first);
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(rng.uniform(first + 2)) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

}  // namespace scorevi::targets
