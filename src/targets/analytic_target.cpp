#include "scorevi/targets/analytic_target.h"

#include <fmt/format.h>

#include <ATen/ops/zeros.h>

#include "scorevi/core/error.h"

namespace scorevi::targets {

AnalyticTarget::AnalyticTarget(const at::Tensor& like)
    : layout_(params::FlatLayout::single(like.numel())), point_(at::zeros({like.numel()}, like.options())) {}

AnalyticTarget::AnalyticTarget(params::FlatLayout layout)
    : layout_(std::move(layout)), point_(at::zeros({layout_.dim()}, at::TensorOptions(at::kDouble))) {}

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
