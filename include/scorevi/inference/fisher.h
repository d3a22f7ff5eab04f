// Score matching through the draw (the Fisher divergence of q from the target), with a diagonal Gaussian q:
//   loss = E |r|^2,  theta = m + sigma eps,  r = grad log q(theta) - score(theta)
//   d/dm = -2 H r,   d/drho = 2 r eps/sigma - 2 (H r) eps sigma,   H the Hessian of log_density + log prior at theta
// One Hessian product per sample: the target must have one (LogDensity::has_hessian_product). For a network this is a
// second backward pass through the first, with the memory of both, and counts as two evaluations.
// Meant for exact scores: with mini-batches the loss is that of the whole target plus the variance of the score at
// theta, which depends on theta and draws q to where the batches agree. Loss reported: loss_scale * E |r|^2, also as
// `matching` without the scale.
#pragma once

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/optim/optimizer.h"

namespace scorevi::inference {

// Five parameter-sized buffers beside the optimiser's.
class Fisher final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffers.
  Fisher(const GaussianOptions& options, const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout,
         const at::Tensor& like);

  // Throws Error(kUsage) for a target without Hessian products.
  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  std::vector<std::string> buffers() const override;

 private:
  // Adds the gradients of one sample divided by M; false: refuse the step.
  bool add_sample(LogDensity& target, const variational::Family& family, const StepInfo& info, int64_t sample,
                  StepStats& stats);

  GaussianOptions options_;
  optim::Optimizer optimizer_;
  at::Tensor noise_, scratch_, residual_, mean_gradient_, log_std_gradient_;  // [D]
};

}  // namespace scorevi::inference
