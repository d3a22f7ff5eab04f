#include "step_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "scorevi/core/error.h"

namespace scorevi::inference {
namespace {

// Index of the first log_std outside [low, high] that is of no point, -1 when there is none.
int64_t first_outside(const variational::DiagonalGaussian& family, double low, double high) {
  for (const params::Range& range : family.gaussians()) {
    const at::Tensor values = family.log_std().slice(0, range.begin, range.end);
    const at::Tensor outside = values.lt(low).logical_or_(values.gt(high)).nonzero();
    if (outside.numel() > 0) return range.begin + outside[0].item<int64_t>();
  }
  return -1;
}

// The points and what lies between them, in order.
std::vector<JointRange> kinds_of(const std::vector<params::Range>& points, int64_t dim) {
  std::vector<JointRange> kinds;
  int64_t last = 0;
  for (const params::Range& range : points) {
    if (last < range.begin) kinds.push_back({{last, range.begin}});
    kinds.push_back({range, 0, -1, /*point=*/true});
    last = range.end;
  }
  if (last < dim) kinds.push_back({{last, dim}});
  return kinds;
}

}  // namespace

StepStats blank_stats() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  StepStats stats;
  stats.log_density = stats.loss = stats.matching = stats.proximal = stats.alpha = stats.kl = kNone;
  stats.gradient_norm = stats.sigma_mean = stats.sigma_min = stats.sigma_max = kNone;
  return stats;
}

variational::DiagonalGaussian& diagonal_gaussian(variational::Family& family, const LogDensity& target) {
  auto* gaussian = dynamic_cast<variational::DiagonalGaussian*>(&family);
  SCOREVI_CHECK(gaussian != nullptr);
  SCOREVI_CHECK_OP(gaussian->dim(), ==, target.dim());
  return *gaussian;
}

kernels::NoiseKey noise_key(const StepInfo& info) {
  kernels::NoiseKey key;
  key.seed = info.seed;
  key.step = static_cast<uint32_t>(info.step);
  return key;
}

std::vector<JointRange> joint_ranges(const GaussianPrior* prior, const optim::Optimizer* optimizer, int64_t dim,
                                     const std::vector<params::Range>& points) {
  std::vector<GaussianPrior::Group> groups;
  if (prior) groups = prior->groups;
  if (!prior) groups.push_back({{0, dim}, std::numeric_limits<double>::infinity()});
  std::vector<params::GroupRange> rules;
  if (optimizer) rules = optimizer->ranges();
  if (!optimizer) rules.push_back({{0, dim}, -1});

  const std::vector<JointRange> kinds = kinds_of(points, dim);
  std::vector<JointRange> joint;
  size_t group = 0, rule = 0, kind = 0;
  for (int64_t begin = 0; begin < dim;) {
    SCOREVI_CHECK_OP(group, <, groups.size());
    SCOREVI_CHECK_OP(rule, <, rules.size());
    const int64_t end = std::min({groups[group].end, rules[rule].end, kinds[kind].end});
    joint.push_back({{begin, end}, groups[group].std, optimizer ? static_cast<int>(rule) : -1, kinds[kind].point});
    if (end == groups[group].end) ++group;
    if (end == rules[rule].end) ++rule;
    if (end == kinds[kind].end) ++kind;
    begin = end;
  }
  return joint;
}

void add_points(kernels::UpdateStats& total, const kernels::UpdateStats& points) {
  total.gradient_sq += points.gradient_sq;
  total.log_prior += points.log_prior;
  total.nonfinite += points.nonfinite;
}

bool is_finite_score(const at::Tensor& score, StepStats& stats) {
  const kernels::FiniteCheck check = finite_check(score);
  if (check.nonfinite == 0) return true;
  stats.status = StepStatus::kNonFiniteScore;
  stats.nonfinite = check.nonfinite;
  stats.bad_index = check.first_nonfinite;
  return false;
}

std::optional<at::Tensor> checked_score(LogDensity& target, const StepInfo& info, StepStats& stats) {
  const at::Tensor theta = target.point();
  Evaluation evaluation = target.evaluate(theta);
  stats.evaluations += 1;
  stats.log_density = evaluation.log_density;
  if (!std::isfinite(evaluation.log_density)) {
    stats.status = StepStatus::kNonFiniteDensity;
    return std::nullopt;
  }
  if (-evaluation.log_density * target.loss_scale() > info.max_loss) {
    stats.status = StepStatus::kExploded;
    return std::nullopt;
  }
  SCOREVI_CHECK_OP(evaluation.score.numel(), ==, target.dim());
  SCOREVI_CHECK(evaluation.score.is_contiguous());
  SCOREVI_CHECK(evaluation.score.scalar_type() == theta.scalar_type());
  if (!is_finite_score(evaluation.score, stats)) return std::nullopt;
  return evaluation.score;
}

kernels::FiniteCheck finite_check(const at::Tensor& values) {
  return variational::for_dtype(values, [&](auto tag) {
    using T = decltype(tag);
    return kernels::check_finite<T>(params::exec_for(values), 0, values.numel(), values.const_data_ptr<T>());
  });
}

double square_sum(const at::Tensor& values) { return finite_check(values).sum_sq; }

int64_t first_nonfinite(const at::Tensor& values) { return finite_check(values).first_nonfinite; }

void apply_gradient(const optim::Optimizer& optimizer, const std::string& slot, const at::Tensor& gradient,
                    double scale, double lr_factor, bool decay, const at::Tensor& parameter) {
  variational::for_dtype(parameter, [&](auto tag) {
    using T = decltype(tag);
    const kernels::Exec exec = params::exec_for(parameter);
    const auto pointers = optimizer.slot<T>(slot, parameter);
    for (size_t i = 0; i < optimizer.ranges().size(); ++i) {
      const params::Range& range = optimizer.ranges()[i];
      kernels::OptimizerRule rule = optimizer.rule(static_cast<int>(i), lr_factor);
      if (!decay) rule.weight_decay = 0;
      kernels::optimizer_update<T>(exec, range.begin, range.end, gradient.const_data_ptr<T>(), scale, rule, pointers);
    }
  });
}

void check_gaussian(const kernels::UpdateStats& total, const variational::DiagonalGaussian& family,
                    const GaussianOptions& limits, StepStats& stats) {
  stats.kl = total.kl;
  stats.nonfinite = total.nonfinite;
  const bool all_points = total.count == 0;
  if (!all_points) {
    stats.sigma_mean = total.sigma_sum / static_cast<double>(total.count);
    stats.sigma_min = std::exp(total.log_std_min);
    stats.sigma_max = std::exp(total.log_std_max);
  }
  const bool inside =
      all_points || (total.log_std_min >= limits.min_log_std && total.log_std_max <= limits.max_log_std);
  if (total.nonfinite == 0 && inside) return;
  stats.status = StepStatus::kDiverged;
  stats.bad_index = first_nonfinite(family.mean());
  if (stats.bad_index < 0) stats.bad_index = first_nonfinite(family.log_std());
  if (stats.bad_index < 0) stats.bad_index = first_outside(family, limits.min_log_std, limits.max_log_std);
}

void validate(const GaussianOptions& options, const std::string& where) {
  if (options.samples < 1)
    throw Error(ErrorKind::kUsage, fmt::format("{}.samples: got {}, expected at least 1", where, options.samples));
  if (!(options.min_log_std < options.max_log_std))
    throw Error(ErrorKind::kUsage, fmt::format("{}.min_log_std: got {}, expected less than max_log_std = {}", where,
                                               options.min_log_std, options.max_log_std));
}

}  // namespace scorevi::inference
