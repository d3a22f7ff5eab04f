#include "scorevi/targets/plain_target.h"

#include <ATen/ops/zeros_like.h>

#include "scorevi/core/check.h"

namespace scorevi::targets {
namespace {

params::FlatLayout one_each(const std::vector<std::string>& coordinates) {
  params::FlatLayout layout;
  for (const std::string& name : coordinates) layout.append(name, {});
  return layout;
}

}  // namespace

PlainTarget::PlainTarget(int64_t dim) : PlainTarget(params::FlatLayout::single(dim)) {}

PlainTarget::PlainTarget(const std::vector<std::string>& coordinates) : PlainTarget(one_each(coordinates)) {}

PlainTarget::PlainTarget(params::FlatLayout layout)
    : AnalyticTarget(std::move(layout)), score_(at::zeros_like(point_)) {}

inference::Evaluation PlainTarget::evaluate(const at::Tensor& theta) {
  SCOREVI_CHECK_OP(theta.numel(), ==, dim());
  SCOREVI_CHECK(theta.scalar_type() == at::kDouble && theta.is_cpu() && theta.is_contiguous());
  const double value = log_density(theta.const_data_ptr<double>(), score_.mutable_data_ptr<double>());
  return {value, score_, data_used()};
}

}  // namespace scorevi::targets
