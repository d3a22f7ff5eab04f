// Automatic differentiation variational inference with a full Gaussian q: the reparametrised negative ELBO
//   loss = loss_scale * (E_q[-log_density] + KL(q || prior)),   theta = m + L eps
//   d/dm = -score,   d/dL = -tril(score eps^T) - diag(1/L_jj)        (score of log_density + log prior)
// The factor moves by its raw entries; where a diagonal one crosses 0, its column is turned around, which leaves the
// covariance as it is. Options as for the diagonal family, but limits on sigma there are none.
// Loss reported: as for the diagonal family, before the step.
#pragma once

#include <memory>

#include "scorevi/inference/advi.h"

namespace scorevi::inference {

class FullOptimizer;

class AdviFull final : public Engine {
 public:
  // `like` [D]: a buffer like the family's mean.
  AdviFull(const AdviOptions& options, const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout,
           const at::Tensor& like);
  ~AdviFull() override;

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  // Those of the factor have the size [D, D].
  std::vector<std::string> buffers() const override;

 private:
  AdviOptions options_;
  std::unique_ptr<FullOptimizer> optimizer_;
};

}  // namespace scorevi::inference
