// q(theta) = N(m, Sigma) with Sigma = L L^T, L lower triangular.
//
//   log q  = -|L^-1 (theta - m)|^2 / 2 - sum_j log L_jj - D log(2 pi) / 2              nats
//   score  = -L^-T L^-1 (theta - m)                                                   [D]
//   entropy = sum_j log L_jj + D (1 + log(2 pi)) / 2                                   nats
// Doubles on the CPU alone: the updates of a covariance lose a float's precision at once.
#pragma once

#include "scorevi/variational/family.h"

namespace scorevi::variational {

// Two buffers of doubles, the mean [D] and the factor L [D, D] with a positive diagonal and zeros above it. They are
// shared, not copied: an engine updates them in place. Memory is D^2; drawing, density and score cost O(D^2).
class FullGaussian final : public Family {
 public:
  // Adopts both: contiguous doubles on the CPU. What stands above the diagonal must be 0.
  FullGaussian(at::Tensor mean, at::Tensor factor);

  // Makes both buffers: a copy of `mean` [D], and init_std times the identity.
  // Throws Error(kUsage) unless init_std is positive and finite.
  static FullGaussian from_mean(const at::Tensor& mean, double init_std);

  const at::Tensor& mean() const { return mean_; }
  const at::Tensor& factor() const { return factor_; }
  // L L^T [D, D], and the square roots of its diagonal [D].
  at::Tensor covariance() const;
  at::Tensor standard_deviations() const;

  std::string name() const override { return "full_gaussian"; }
  int64_t dim() const override { return mean_.numel(); }
  std::vector<std::pair<std::string, at::Tensor>> parameters() const override;
  void sample(const kernels::NoiseKey& key, at::Tensor theta) const override;
  void mean_into(at::Tensor theta) const override;
  at::Tensor log_prob(const at::Tensor& theta) const override;
  at::Tensor score(const at::Tensor& theta) const override;
  double entropy() const override;
  // The factor by rows: "factor.<name>" has the shape [numel, D].
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;

 private:
  // L^-1 (theta - m) [D]
  at::Tensor whitened(const at::Tensor& theta) const;

  at::Tensor mean_;
  at::Tensor factor_;
};

}  // namespace scorevi::variational
