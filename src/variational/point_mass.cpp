#include "scorevi/variational/point_mass.h"

#include "scorevi/core/check.h"

namespace scorevi::variational {

PointMass::PointMass(at::Tensor mean) : mean_(std::move(mean)) {
  SCOREVI_CHECK_OP(mean_.dim(), ==, 1);
  SCOREVI_CHECK(mean_.is_contiguous());
}

std::vector<std::pair<std::string, at::Tensor>> PointMass::parameters() const { return {{"mean", mean_}}; }

void PointMass::sample(const kernels::NoiseKey&, at::Tensor theta) const { mean_into(theta); }

void PointMass::mean_into(at::Tensor theta) const {
  SCOREVI_CHECK_OP(theta.numel(), ==, dim());
  if (theta.data_ptr() != mean_.data_ptr()) theta.copy_(mean_);
}

at::Tensor PointMass::log_prob(const at::Tensor&) const { throw InternalError("point_mass: log_prob does not exist"); }

at::Tensor PointMass::score(const at::Tensor&) const { throw InternalError("point_mass: score does not exist"); }

double PointMass::entropy() const { throw InternalError("point_mass: entropy does not exist"); }

}  // namespace scorevi::variational
