// q(theta) = prod_j N(theta_j; m_j, sigma_j^2) with sigma_j = exp(rho_j).
//
//   log q  = -sum_j [ (theta_j - m_j)^2 / (2 sigma_j^2) + rho_j + log(2 pi)/2 ]       nats
//   score  = -(theta - m) / sigma^2                                                  [D]
//   entropy = sum_j rho_j + D (1 + log(2 pi)) / 2                                    nats
//
// Of some coordinates q may hold a point, sigma_j = 0 exactly: weights that are estimated, not distributed.
#pragma once

#include "scorevi/variational/family.h"

namespace scorevi::variational {

// rho of a point: finite, so that it can be saved, and so far down that exp() of it is 0 in float and double.
inline constexpr double kPointLogStd = -1000;

// Two buffers [D] of the same element type (float or double) and device. They are shared, not copied: an
// engine updates them in place, and whoever handed them in sees the new values.
class DiagonalGaussian final : public Family {
 public:
  // Adopts mean and log_std: contiguous, one-dimensional, of equal size, type and device.
  DiagonalGaussian(at::Tensor mean, at::Tensor log_std);

  // Makes both buffers: a copy of `mean` [D], and log(init_std) everywhere.
  // Throws Error(kUsage) unless init_std is positive and finite.
  static DiagonalGaussian from_mean(const at::Tensor& mean, double init_std);

  // Makes these coordinates points. Ranges are ascending, without overlap and inside 0..D. With a point q has no
  // density: log_prob, score and entropy are our bug to call.
  void set_points(std::vector<params::Range> points);
  const std::vector<params::Range>& points() const { return points_; }
  // What lies between the points, in order.
  std::vector<params::Range> gaussians() const;

  const at::Tensor& mean() const { return mean_; }
  const at::Tensor& log_std() const { return log_std_; }

  std::string name() const override { return "diagonal_gaussian"; }
  int64_t dim() const override { return mean_.numel(); }
  std::vector<std::pair<std::string, at::Tensor>> parameters() const override;
  void sample(const kernels::NoiseKey& key, at::Tensor theta) const override;
  void mean_into(at::Tensor theta) const override;
  at::Tensor log_prob(const at::Tensor& theta) const override;
  at::Tensor score(const at::Tensor& theta) const override;
  double entropy() const override;

 private:
  at::Tensor mean_;
  at::Tensor log_std_;
  std::vector<params::Range> points_;
};

}  // namespace scorevi::variational
