// Proximal score matching with a diagonal Gaussian q, each inner problem solved exactly.
//
// s_q is linear in (Lambda, Lambda m), Lambda = 1/sigma^2, so the inner problem is least squares. With
// g = E[score], h = -E[score eps]/sigma (the mean negative curvature, by Stein's identity):
//   Lambda' = Lambda + beta (h - Lambda) [+ beta^2 (h - Lambda)^2 / (2 Lambda) if corrected]
//   m'      = m + mean_step g / Lambda'
// beta = mean_step = 1/(1 + alpha) is the exact solution: a proximal weight is a step size. The step on m is a damped
// Jacobi iteration, stable only while mean_step * lambda_max(diag(P)^-1 P) < 2 for a Gaussian target of precision P;
// with noisy scores both steps must be small.
// Loss reported: loss_scale * (-log_density + KL), an estimate of the negative ELBO, which has the same fixed points.
// Sources: arXiv 2602.05873 (objective); the positive correction: Shen et al., arXiv 2402.17641 (IVON).
#pragma once

#include <optional>

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/variational/diagonal_gaussian.h"

namespace scorevi::inference {

// How m moves: by the formula above, or by an optimiser along the mean score.
enum class MeanUpdate { kNewton, kOptimizer };

struct ClosedFormOptions : GaussianOptions {
  MeanUpdate mean_update = MeanUpdate::kNewton;
  // Step on Lambda, in (0, 1].
  double beta = 1e-3;
  // Step on m (newton), above 0; multiplied by the schedule's factor like a learning rate.
  double mean_step = 0.1;
  // Decay of the moving average of g (newton), in [0, 1). 0 takes g itself and saves the buffer.
  double average_decay = 0.9;
  // Keeps Lambda positive for every h. Without it a step can end with a negative Lambda, which counts as divergence.
  bool corrected = true;
  // q has points, which an optimiser moves as under MAP, beside newton too: there it costs its buffers.
  bool points = false;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const ClosedFormOptions& options);

class ClosedForm final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffers. `optimizer` is used by mean_update = optimizer
  // and for points.
  ClosedForm(const ClosedFormOptions& options, const optim::OptimizerOptions& optimizer,
             const params::FlatLayout& layout, const at::Tensor& like);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  std::vector<std::string> buffers() const override;

 private:
  template <class T>
  StepStats step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info);

  ClosedFormOptions options_;
  std::optional<optim::Optimizer> optimizer_;
  at::Tensor average_;  // [D], newton with average_decay > 0
  int64_t average_steps_ = 0;
  at::Tensor score_mean_, score_noise_;  // [D], samples >= 2
};

}  // namespace scorevi::inference
