#include "scorevi/targets/analytic_target.h"

#include <fmt/format.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::targets {

AnalyticTarget::AnalyticTarget(const at::Tensor& like)
    : layout_(params::FlatLayout::single(like.numel())), point_(at::zeros({like.numel()}, like.options())) {}

AnalyticTarget::AnalyticTarget(params::FlatLayout layout)
    : layout_(std::move(layout)), point_(at::zeros({layout_.dim()}, at::TensorOptions(at::kDouble))) {}

at::Tensor AnalyticTarget::hessian_product(const at::Tensor& theta, const at::Tensor& v) {
  SCOREVI_CHECK(has_hessian_product());
  // The step h moves no coordinate by more than 1e-5 of its size, or of 1.
  const double longest = (v.abs() / theta.abs().clamp_min(1)).max().item<double>();
  if (longest == 0) return at::zeros_like(v);
  const double h = 1e-5 / longest;
  const at::Tensor above = evaluate(theta + h * v).score.clone();
  return (above - evaluate(theta - h * v).score) / (2 * h);
}

void AnalyticTarget::set_prior(inference::GaussianPrior prior) {
  int64_t next = 0;
  for (const auto& group : prior.groups) {
    if (group.begin != next || group.end <= group.begin)
      throw Error(ErrorKind::kUsage, fmt::format("prior: groups leave a gap or overlap, got {}..{} after {}, expected "
                                                 "ranges that follow each other",
                                                 group.begin, group.end, next));
    if (!(group.std > 0))
      throw Error(ErrorKind::kUsage,
                  fmt::format("prior: bad std, got {}, expected a number above 0 or inf", group.std));
    next = group.end;
  }
  if (next != dim())
    throw Error(ErrorKind::kUsage, fmt::format("prior: groups cover {} elements, expected {}", next, dim()));
  prior_ = std::move(prior);
}

void AnalyticTarget::set_prior(double std) {
  inference::GaussianPrior prior;
  prior.groups.resize(1);
  prior.groups[0].end = dim();
  prior.groups[0].std = std;
  set_prior(std::move(prior));
}

}  // namespace scorevi::targets
