// Automatic differentiation variational inference with a diagonal Gaussian q: the reparametrised negative ELBO
//   loss = loss_scale * (E_q[-log_density] + KL(q || prior)),   theta = m + sigma eps
//   d/dm = -score,   d/drho = -score eps sigma - 1            (score of log_density + log prior)
// Loss reported: loss_scale * (-log_density + KL), the KL in closed form whatever `kl` says; points of q, which move as
// under MAP, add -log prior in place of a KL.
// Source: Kucukelbir et al., "Automatic Differentiation Variational Inference", JMLR 2017; Blundell et al., "Weight
// Uncertainty in Neural Networks", ICML 2015.
#pragma once

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/variational/diagonal_gaussian.h"

namespace scorevi::inference {

struct AdviOptions : GaussianOptions {
  // false: the gradient of the KL is exact. true: the prior's score is taken at the drawn theta.
  bool kl_sampled = false;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const AdviOptions& options);

class Advi final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffers.
  Advi(const AdviOptions& options, const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout,
       const at::Tensor& like);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  std::vector<std::string> buffers() const override;

 private:
  template <class T>
  StepStats step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info);

  AdviOptions options_;
  optim::Optimizer optimizer_;
  at::Tensor score_mean_, score_noise_;  // [D], samples >= 2
};

}  // namespace scorevi::inference
