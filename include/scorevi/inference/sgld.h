// Stochastic gradient Langevin dynamics: approximate draws from a target by mini-batch scores.
//
//   theta <- theta + (eps_t / 2) score(theta) + sqrt(eps_t) xi,  xi ~ N(0, I),
//   eps_t = step_size (1 + t / decay_start)^-decay_power.
//
// Without a Metropolis test: biased by the step size, and by the noise of the scores. No preconditioning. xi is a
// function of (seed, t). Source: Welling and Teh, ICML 2011.
#pragma once

#include "scorevi/inference/draws.h"
#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

struct SgldOptions {
  int64_t steps = 10000;    // burn-in included; at most 2^32
  int64_t burn_in = 1000;   // first steps whose points are not kept; below steps
  int64_t thin = 1;         // every thin-th point after burn-in is kept
  double step_size = 1e-3;  // eps_0, in units of theta^2: should stay below the smallest variance of the target
  double decay_power = 0;   // 0: constant steps; 1/3 makes the error of averages fall fastest
  double decay_start = 1000;
  // Steps in a row that may be refused before the sampler gives up.
  int64_t max_refused = 100;
  uint64_t seed = 0;
  // Called before each evaluation, for example to choose the target's mini-batch; may be empty. Step 0 is that of the
  // start.
  std::function<void(int64_t step)> before_step;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const SgldOptions& options);

// Bytes of the draws.
int64_t bytes_needed(const SgldOptions& options, int64_t dim);

// One chain from start [D]. A step to a point whose density or score is not finite is refused: the chain goes on from
// where it was, with new noise, and Draws::divergent counts it (the one place where burn-in counts too). With more
// than max_refused in a row the draws so far are returned, Draws::stopped set. Error(kNumerical) for such a start.
// With decay draws are weighted by eps_t (Draws::weight). gaussian_fit of the draws is a Gaussian approximation.
Draws sample_sgld(LogDensity& target, const SgldOptions& options, const at::Tensor& start,
                  const SamplerCallback& callback = {});

}  // namespace scorevi::inference
