// Draws from the target itself, by a sampler, and what samplers share.
#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

namespace scorevi::inference {

// Everything double or int64 on the CPU. n = chains * draws per chain, one chain after another.
struct Draws {
  at::Tensor theta;        // [n, D]
  at::Tensor chain;        // [n] int64
  at::Tensor log_density;  // [n] prior included; estimates where the target uses mini-batches
  at::Tensor weight;       // [n] sums to 1; undefined: all draws count the same
  int64_t chains = 1;
  int64_t evaluations = 0;  // of the target, warm-up included
  double accept = 0;        // mean acceptance probability after warm-up; 1 for sgld
  double step_size = 0;     // after warm-up, mean over the chains; sgld: the last one
  int64_t divergent = 0;    // moves after warm-up that met a non-finite density or lost the energy; sgld: refused ones
  int64_t at_depth_limit = 0;  // nuts: trajectories after warm-up cut short by max_depth
  bool stopped = false;        // by the callback; all chains have made the same number of draws
  at::Tensor rhat, ess;        // [D] chain_statistics.h: rank_rhat, ess_bulk
  at::Tensor mean_error;       // [D] Monte-Carlo standard error of the mean over the draws
  at::Tensor sd_error;         // [D] the same of the standard deviation
};

struct SamplerProgress {
  int64_t iteration = 0;   // finished, of each chain
  int64_t iterations = 0;  // to be made, warm-up included
  bool warmup = false;
  int64_t evaluations = 0;
  int64_t divergent = 0;  // as in Draws
  double step_size = 0;
};

// Called after every iteration of all chains; true stops the sampler, which returns what it has.
using SamplerCallback = std::function<bool(const SamplerProgress&)>;

// Fills rhat, ess and the two errors from theta. Draws that count differently have mean_error and sd_error at NaN.
void summarise(Draws& draws);

// A Gaussian by its moments: covariance [D, D], or [D], the variances of a diagonal one.
struct GaussianFit {
  at::Tensor mean, covariance;
};

enum class GaussianForm { kDiagonal, kFull };

// Mean and unbiased covariance of the draws. Throws Error(kNumerical) when there are fewer than 2 draws.
GaussianFit gaussian_fit(const Draws& draws, GaussianForm form);

}  // namespace scorevi::inference
