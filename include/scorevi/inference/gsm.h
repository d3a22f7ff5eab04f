// Gaussian score matching with a full Gaussian q: for every sample the Gaussian nearest to q, in KL(q; q'), whose score
// there is the target's; q takes the average of their means and covariances. In the coordinates where q is N(0, I),
// with g = L^T score:
//   u = g + eps (eps.g),  w = 2 u / (1 + sqrt(1 + 4 (|g|^2 + (eps.g)^2)))
//   m' = m + L mean(eps + w),  L' = L chol(I + mean(eps eps^T - w w^T))
// No learning rate. Meant for exact scores: the noise of a mini-batch goes straight into q. On a target that is not
// Gaussian it does not settle but fluctuates around the answer.
// Loss reported: the negative ELBO of q before the step; matching: mean |eps + g|^2, 0 where q is the target.
// Source: Modi et al., "Variational inference with Gaussian score matching", NeurIPS 2023 (arXiv 2307.07849).
#pragma once

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"

namespace scorevi::inference {

// Keeps no state: a step is a function of q, the target, seed and step. A step whose covariance is not positive
// definite is undone (kBadUpdate); it is a matter of rounding.
class Gsm final : public Engine {
 public:
  explicit Gsm(const GaussianOptions& options);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict&, const params::FlatLayout&) const override {}
  void load(const params::StateDict&, const params::FlatLayout&) override {}
  std::vector<std::string> buffers() const override { return {}; }

 private:
  GaussianOptions options_;
};

}  // namespace scorevi::inference
