#include "scorevi/targets/student_t.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_cholesky.h>

#include "scorevi/core/check.h"

namespace scorevi::targets {

StudentT::StudentT(at::Tensor mean, at::Tensor precision, double dof)
    : AnalyticTarget(mean), mean_(std::move(mean)), precision_(std::move(precision)), dof_(dof) {
  SCOREVI_CHECK_OP(precision_.size(0), ==, dim());
  SCOREVI_CHECK_OP(precision_.size(1), ==, dim());
  SCOREVI_CHECK_OP(dof, >, 0);
  const auto d = static_cast<double>(dim());
  const double half_log_det = at::linalg_cholesky(precision_).diagonal().log().sum().item<double>();
  log_normaliser_ =
      std::lgamma((dof + d) / 2) - std::lgamma(dof / 2) - d / 2 * std::log(dof * std::acos(-1.0)) + half_log_det;
}

inference::Evaluation StudentT::evaluate(const at::Tensor& theta) {
  const at::Tensor difference = theta - mean_;
  const at::Tensor pull = precision_.mv(difference);
  const double q = pull.dot(difference).item<double>();
  const double power = dof_ + static_cast<double>(dim());
  return {log_normaliser_ - power / 2 * std::log1p(q / dof_), pull * (-power / (dof_ + q)), /*data_used=*/0};
}

}  // namespace scorevi::targets
