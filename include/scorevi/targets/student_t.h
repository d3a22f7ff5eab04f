// The multivariate Student t distribution: a target with heavy tails.
#pragma once

#include "scorevi/targets/analytic_target.h"

namespace scorevi::targets {

// t(mean, scale, dof) with q = (theta - mean)^T scale^-1 (theta - mean), normalised:
//   log pi = lgamma((dof + D)/2) - lgamma(dof/2) - D/2 log(dof pi) - log|scale|/2 - (dof + D)/2 log(1 + q/dof)
// Mean for dof > 1, covariance dof/(dof - 2) scale for dof > 2. O(D^2).
class StudentT final : public AnalyticTarget {
 public:
  // mean [D], precision = scale^-1 [D, D] symmetric positive definite, dof > 0.
  StudentT(at::Tensor mean, at::Tensor precision, double dof);
  inference::Evaluation evaluate(const at::Tensor& theta) override;

 private:
  at::Tensor mean_, precision_;
  double dof_;
  double log_normaliser_;
};

}  // namespace scorevi::targets
