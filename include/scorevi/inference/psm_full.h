// Proximal score matching with a full Gaussian q: the loss and the outer and inner iterations of psm.h, and the exact
// solution of the inner problem. P = Sigma^-1, delta = m_t - m, s_t = grad log q_t; W = 1, or Sigma_t for the norm
// covariance; theta = m_t + L_t eps; score of log_density + log prior.
#pragma once

#include <memory>

#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/psm.h"

namespace scorevi::inference {

class FullOptimizer;

// With u = P (theta - m), R = -(1 + alpha) u - score - alpha s_t and y = P W R:
//   d/dm = 2 E y,   d/dL = 2 tril((E[y u^T] + E[u y^T]) L)
// estimator sampled takes the expectations over the draws, O(M D^2); analytic knows those of all but the likelihood's
// score, O(D^3); adaptive is for the diagonal family.
class ProximalScoreMatchingFull final : public Engine {
 public:
  // `like` [D]: a buffer like the family's mean. Throws Error(kUsage) for estimator adaptive.
  ProximalScoreMatchingFull(const PsmOptions& options, const optim::OptimizerOptions& optimizer,
                            const params::FlatLayout& layout, const at::Tensor& like);
  ~ProximalScoreMatchingFull() override;

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  // Those of the factor have the size [D, D].
  std::vector<std::string> buffers() const override;

 private:
  PsmOptions options_;
  std::unique_ptr<FullOptimizer> optimizer_;
  at::Tensor frozen_mean_, frozen_factor_;  // [D], [D, D], K >= 2
};

// grad log q = -Lambda theta + b is linear in (Lambda, b): the inner problem is least squares over symmetric Lambda. In
// the coordinates where q_t is N(0, I), with white scores g, e and r the centred eps and eps + g, and C = mean e e^T:
//   X C + C X = -mean(r e^T + e r^T)
//   Lambda' = I + beta X [+ beta^2 X^2 / 2 if corrected: positive definite whatever X]
//   m' = mean eps + Lambda'^-1 (mean_step mean g - (1 - mean_step) mean eps)
// beta = mean_step = 1/(1 + alpha), not corrected, is the exact solution on the batch under the norm covariance; with
// alpha = 0, exact scores and more than D samples a Gaussian target is met in one step. Directions in which the batch
// has no spread keep their precision. A Lambda' that is not positive definite undoes the step (kBadUpdate).
// Keeps no state: `average_decay` is for the diagonal family, and so is mean_update optimizer.
// Loss reported: the negative ELBO of q before the step; matching: mean |eps + g|^2.
class ClosedFormFull final : public Engine {
 public:
  // Throws Error(kUsage) for mean_update optimizer.
  explicit ClosedFormFull(const ClosedFormOptions& options);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict&, const params::FlatLayout&) const override {}
  void load(const params::StateDict&, const params::FlatLayout&) override {}
  std::vector<std::string> buffers() const override { return {}; }

 private:
  ClosedFormOptions options_;
};

}  // namespace scorevi::inference
