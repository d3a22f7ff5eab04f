// All of q at one point: what maximum a posteriori estimation moves.
#pragma once

#include "scorevi/variational/family.h"

namespace scorevi::variational {

// One buffer [D]: the mean. It is shared, not copied, and may be the very buffer that holds a network's weights
// (LogDensity::point()); then no copy of theta is ever made. A point mass has no density: log_prob, score and
// entropy are our bug to call.
class PointMass final : public Family {
 public:
  // Adopts mean: contiguous, one-dimensional, float or double.
  explicit PointMass(at::Tensor mean);

  const at::Tensor& mean() const { return mean_; }

  std::string name() const override { return "point_mass"; }
  int64_t dim() const override { return mean_.numel(); }
  std::vector<std::pair<std::string, at::Tensor>> parameters() const override;
  void sample(const kernels::NoiseKey& key, at::Tensor theta) const override;
  void mean_into(at::Tensor theta) const override;
  at::Tensor log_prob(const at::Tensor& theta) const override;
  at::Tensor score(const at::Tensor& theta) const override;
  double entropy() const override;

 private:
  at::Tensor mean_;
};

}  // namespace scorevi::variational
