// The No-U-Turn Sampler: exact draws (in the long run) from a target with exact scores, as a reference.
//
// Multinomial sampling along trajectories that double until they turn, with the generalised criterion on whole and
// half trajectories. Warm-up adapts the step size by dual averaging and the mass matrix in windows that double
// (first 75, last 50 iterations for the step size alone, windows of 25, 50, 100, ... between). The chains advance
// in turn, iteration by iteration; all random numbers are functions of (seed, chain, iteration).
// Sources: Hoffman and Gelman, JMLR 15 (2014); Betancourt, arXiv:1701.02434; windows as in the Stan reference manual.
#pragma once

#include "scorevi/inference/draws.h"
#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

enum class MassMatrix {
  kIdentity,
  kDiagonal,
  kDense,  // 3 D^2 doubles per chain, and 4 D^2 while one is made; O(D^2) per evaluation
};

struct NutsOptions {
  int64_t chains = 4;
  int64_t warmup = 1000;  // iterations of each chain that adapt and are not kept
  int64_t draws = 1000;   // kept of each chain
  MassMatrix mass = MassMatrix::kDiagonal;
  double target_accept = 0.8;      // mean acceptance probability that the step size is adapted to; 0 < a < 1
  int64_t max_depth = 10;          // trajectories have at most 2^max_depth - 1 steps
  double max_energy_error = 1000;  // nats; beyond it a trajectory has diverged
  double step_size = 0.1;          // at the start; doubled or halved until the first step fits
  double start_spread = 1;  // a common start is moved by uniform numbers up to this, for each chain and coordinate
  uint64_t seed = 0;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const NutsOptions& options);

// Bytes of the draws and the matrices at dimension dim.
int64_t bytes_needed(const NutsOptions& options, int64_t dim);

// start: [D] for all chains, or [chains, D], taken as it is. A start at which density or score is not finite is
// drawn again with half the spread, 20 times at most; Error(kNumerical) when none is found. Elsewhere such points
// end a trajectory as divergent. The target is double on the CPU.
Draws sample_nuts(LogDensity& target, const NutsOptions& options, const at::Tensor& start,
                  const SamplerCallback& callback = {});

}  // namespace scorevi::inference
