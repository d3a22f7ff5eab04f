// The random numbers of the targets: of their construction and of their exact draws.
#pragma once

#include <ATen/core/Tensor.h>

#include "scorevi/core/counter_rng.h"
#include "scorevi/kernels/noise.h"

namespace scorevi::targets {

// What is generated for a target from its seed.
enum class Part : uint32_t { kMean = 0, kMatrix = 1, kInputs = 2, kLabels = 3, kWeights = 4 };

at::Tensor uniforms(uint64_t seed, Part part, int64_t n);               // [n] in (0, 1)
at::Tensor normals(uint64_t seed, Part part, int64_t rows, int64_t n);  // [rows, n]

// Draws of a key: element j of fill_normal() takes word j (and its partner), so that the words of further() are free.
void fill_normal(const kernels::NoiseKey& key, at::Tensor theta);
// The stream of the key, and its first word behind the normals of D elements; a multiple of 4.
CounterRng stream_of(const kernels::NoiseKey& key);
inline uint64_t further(int64_t dim) { return (static_cast<uint64_t>(dim) + 3) / 4 * 4; }

// Gamma(shape, rate 1) from the words `first`, `first` + 1, ... of the stream.
// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 2000.
double draw_gamma(const CounterRng& rng, uint64_t first, double shape);

}  // namespace scorevi::targets
