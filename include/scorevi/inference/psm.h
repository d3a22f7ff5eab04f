// Proximal score matching with a diagonal Gaussian q, by stochastic gradient steps.
//
// For t = 0, 1, 2, ...: freeze q_t = q, then make K steps on
//   E_{theta ~ q_t} [ alpha_t ||grad log q - grad log q_t||^2 + ||grad log q - score||^2 ],
// theta constant, alpha_t rising linearly from 0 to alpha_max. At the first of the K steps q = q_t, so with K = 1
// alpha has no effect and no frozen copy is kept. The gradients are in kernels/update.h.
// Loss reported: loss_scale * (alpha * proximal + matching), from the drawn samples.
// Source: M. Kim, "Large-scale Score-based Variational Posterior Inference for Bayesian Deep Neural Networks",
// arXiv 2602.05873; the analytic estimator takes the known moments of the noise exactly.
#pragma once

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/kernels/update.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/variational/diagonal_gaussian.h"

namespace scorevi::inference {

struct PsmOptions : GaussianOptions {
  // analytic: moments of the noise taken exactly; sampled: as drawn; adaptive: the quieter of both per weight, for
  // one more buffer. At q = q_t the analytic gradient is 2/sigma^2 (mean) and 4/sigma^2 (log_std) times ADVI's.
  kernels::Estimator estimator = kernels::Estimator::kAnalytic;
  // euclidean weighs coordinate j of the score by 1, covariance by sigma_t,j^2.
  kernels::Norm norm = kernels::Norm::kEuclidean;
  // K, the optimiser steps per frozen copy, at least 1. More than 1 costs two buffers.
  int64_t inner_steps = 1;
  // The largest alpha, reached at the end of the run; at least 0.
  double alpha_max = 1;
  // Decay of the moving average of the curvature (adaptive), in [0, 1).
  double curvature_decay = 0.999;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const PsmOptions& options);

// alpha of inner step `step`: alpha_max t/(T-1), t = step/K, T = ceil(total_steps/K); 0 when T = 1.
double proximal_weight(const PsmOptions& options, int64_t step, int64_t total_steps);

class ProximalScoreMatching final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffers.
  ProximalScoreMatching(const PsmOptions& options, const optim::OptimizerOptions& optimizer,
                        const params::FlatLayout& layout, const at::Tensor& like);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  std::vector<std::string> buffers() const override;

 private:
  template <class T>
  StepStats step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info);
  // Copies q, or its points alone: their score is wanted where they are.
  void freeze(const variational::DiagonalGaussian& q, bool all);

  PsmOptions options_;
  optim::Optimizer optimizer_;
  at::Tensor frozen_mean_, frozen_log_std_;  // [D], K >= 2
  at::Tensor curvature_;                     // [D], adaptive
  int64_t curvature_steps_ = 0;
  at::Tensor score_mean_, score_noise_;  // [D], samples >= 2
};

}  // namespace scorevi::inference
