#include "scorevi/inference/psm.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/optim/schedule.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

const char* const kFrozenMean = "psm.frozen_mean";
const char* const kFrozenLogStd = "psm.frozen_log_std";
const char* const kCurvature = "psm.curvature";
const char* const kCurvatureSteps = "psm.curvature_steps";

}  // namespace

void validate(const PsmOptions& options) {
  validate(static_cast<const GaussianOptions&>(options), "method");
  if (options.inner_steps < 1)
    throw Error(ErrorKind::kUsage, fmt::format("method.inner_steps: got {}, expected at least 1", options.inner_steps));
  if (!(options.alpha_max >= 0) || !std::isfinite(options.alpha_max))
    throw Error(ErrorKind::kUsage, fmt::format("method.alpha_max: got {}, expected at least 0", options.alpha_max));
  if (!(options.curvature_decay >= 0 && options.curvature_decay < 1))
    throw Error(ErrorKind::kUsage,
                fmt::format("method.curvature_decay: got {}, expected 0 <= decay < 1", options.curvature_decay));
}

double proximal_weight(const PsmOptions& options, int64_t step, int64_t total_steps) {
  const int64_t last = (total_steps + options.inner_steps - 1) / options.inner_steps - 1;
  return optim::alpha_at(std::min(step / options.inner_steps, last), last + 1, options.alpha_max);
}

ProximalScoreMatching::ProximalScoreMatching(const PsmOptions& options, const optim::OptimizerOptions& optimizer,
                                             const params::FlatLayout& layout, const at::Tensor& like)
    : options_(options), optimizer_(optimizer, layout, {"mean", "log_std"}, like) {
  validate(options_);
  if (options_.inner_steps > 1) {
    frozen_mean_ = at::zeros_like(like);
    frozen_log_std_ = at::zeros_like(like);
  }
  if (options_.estimator == kernels::Estimator::kAdaptive) curvature_ = at::zeros_like(like);
  if (options_.samples > 1) {
    score_mean_ = at::empty_like(like);
    score_noise_ = at::empty_like(like);
  }
}

namespace {

// The frozen copy that a step draws from: q itself at the first inner step.
struct Frozen {
  const at::Tensor& mean;
  const at::Tensor& log_std;
  bool is_q;
};

template <class T>
kernels::PsmOptions<T> kernel_options(const PsmOptions& options, const Frozen& frozen, double alpha,
                                      const at::Tensor& curvature, int64_t curvature_step) {
  kernels::PsmOptions<T> result;
  result.estimator = options.estimator;
  result.norm = options.norm;
  result.alpha = alpha;
  if (!frozen.is_q) {
    result.frozen_mean = frozen.mean.data_ptr<T>();
    result.frozen_log_std = frozen.log_std.data_ptr<T>();
  }
  if (curvature.defined()) result.curvature = curvature.data_ptr<T>();
  result.curvature_decay = options.curvature_decay;
  result.curvature_bias = 1 - std::pow(options.curvature_decay, static_cast<double>(curvature_step));
  return result;
}

}  // namespace

void ProximalScoreMatching::freeze(const variational::DiagonalGaussian& q, bool all) {
  if (all) {
    frozen_mean_.copy_(q.mean());
    frozen_log_std_.copy_(q.log_std());
  }
  for (const params::Range& range : q.points())
    frozen_mean_.slice(0, range.begin, range.end).copy_(q.mean().slice(0, range.begin, range.end));
}

StepStats ProximalScoreMatching::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::DiagonalGaussian& q = diagonal_gaussian(family, target);
  return variational::for_dtype(q.mean(), [&](auto tag) { return step_as<decltype(tag)>(target, q, info); });
}

template <class T>
StepStats ProximalScoreMatching::step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info) {
  const kernels::Exec exec = params::exec_for(q.mean());
  const bool first_inner = info.step % options_.inner_steps == 0;
  const Frozen frozen{first_inner ? q.mean() : frozen_mean_, first_inner ? q.log_std() : frozen_log_std_, first_inner};
  StepStats stats = blank_stats();
  stats.alpha = proximal_weight(options_, info.step, info.total_steps);
  const kernels::PsmOptions<T> psm = kernel_options<T>(options_, frozen, stats.alpha, curvature_, curvature_steps_ + 1);
  const std::vector<JointRange> ranges = joint_ranges(target.prior(), &optimizer_, q.dim(), q.points());
  T* const mean = q.mean().data_ptr<T>();
  T* const log_std = q.log_std().data_ptr<T>();

  // With one sample the update measures the losses itself; the mean of several scores no longer knows them.
  const bool several = options_.samples > 1;
  double matching = 0, proximal = 0;
  const auto measure = [&](const kernels::UpdateInput<T>& one) {
    if (!several) return;
    const kernels::UpdateStats losses =
        over_ranges<T>(ranges, one, [&](const kernels::UpdateInput<T>& part, const JointRange& range) {
          return range.point ? kernels::UpdateStats{} : kernels::psm_losses<T>(exec, part, psm, mean, log_std);
        });
    matching += losses.matching / static_cast<double>(options_.samples);
    proximal += losses.proximal / static_cast<double>(options_.samples);
  };
  if (frozen_mean_.defined()) freeze(q, first_inner);
  kernels::UpdateInput<T> in = update_input<T>(target, info);
  at::Tensor score;
  if (!gather_scores<T>(target, info, frozen.mean, frozen.log_std, options_.samples, {score_mean_, score_noise_}, score,
                        in, stats, measure))
    return stats;

  const auto mean_slot = optimizer_.slot<T>("mean", q.mean());
  const auto log_std_slot = optimizer_.slot<T>("log_std", q.log_std());
  const kernels::UpdateStats total =
      optimizer_pass<T>(optimizer_, ranges, in, info.lr_factor, q.mean(), stats,
                        [&](const kernels::UpdateInput<T>& part, const kernels::OptimizerRule& rule) {
                          return kernels::psm_update<T>(exec, part, psm, rule, mean_slot, log_std_slot);
                        });
  curvature_steps_ += curvature_.defined() ? 1 : 0;
  stats.matching = several ? matching : total.matching;
  stats.proximal = several ? proximal : total.proximal;
  stats.loss = target.loss_scale() * (stats.alpha * stats.proximal + stats.matching);
  check_gaussian(total, q, options_, stats);
  return stats;
}

void ProximalScoreMatching::save(params::StateDict& state, const params::FlatLayout& layout) const {
  optimizer_.save(state, layout);
  if (frozen_mean_.defined()) {
    layout.add_to(state, kFrozenMean, frozen_mean_);
    layout.add_to(state, kFrozenLogStd, frozen_log_std_);
  }
  if (curvature_.defined()) {
    layout.add_to(state, kCurvature, curvature_);
    state.set_int(kCurvatureSteps, curvature_steps_);
  }
}

void ProximalScoreMatching::load(const params::StateDict& state, const params::FlatLayout& layout) {
  optimizer_.load(state, layout);
  if (frozen_mean_.defined()) {
    layout.read_from(state, kFrozenMean, frozen_mean_);
    layout.read_from(state, kFrozenLogStd, frozen_log_std_);
  }
  if (curvature_.defined()) {
    layout.read_from(state, kCurvature, curvature_);
    curvature_steps_ = state.get_int(kCurvatureSteps);
  }
}

std::vector<std::string> ProximalScoreMatching::buffers() const {
  std::vector<std::string> names = optimizer_.buffers();
  if (frozen_mean_.defined()) names.insert(names.end(), {kFrozenMean, kFrozenLogStd});
  if (curvature_.defined()) names.push_back(kCurvature);
  if (score_mean_.defined()) names.insert(names.end(), {"score_mean", "score_noise"});
  return names;
}

}  // namespace scorevi::inference
