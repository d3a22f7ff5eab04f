// Counter-based standard normal noise. Element j of the flat parameter vector gets
//   eps_j = Normal(Philox4x32-10(key = seed, counter = (j / 4, sample, step)))[j mod 4],
// so noise is never stored: it is recomputed wherever it is needed (see core/philox.h for the layout).
#pragma once

#include <cstdint>

#include "scorevi/core/philox.h"
#include "scorevi/kernels/exec.h"

namespace scorevi::kernels {

struct NoiseKey {
  uint64_t seed = 0;
  uint32_t step = 0;
  uint32_t sample = 0;
  Purpose purpose = Purpose::kWeightNoise;
};

// out[j] = eps_j for begin <= j < end. `out` points at element 0. T is float or double.
template <class T>
void fill_normal(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, T* out);

// theta[j] = mean[j] + exp(log_std[j]) * eps_j for begin <= j < end. All pointers are at element 0.
template <class T>
void sample_gaussian(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, const T* mean, const T* log_std,
                     T* theta);

}  // namespace scorevi::kernels
