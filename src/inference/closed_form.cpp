#include "scorevi/inference/closed_form.h"

#include <cmath>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

const char* const kAverage = "closed_form.average";
const char* const kAverageSteps = "closed_form.average_steps";

}  // namespace

void validate(const ClosedFormOptions& options) {
  validate(static_cast<const GaussianOptions&>(options), "method");
  if (!(options.beta > 0 && options.beta <= 1))
    throw Error(ErrorKind::kUsage, fmt::format("method.beta: got {}, expected 0 < beta <= 1", options.beta));
  if (!(options.mean_step > 0) || !std::isfinite(options.mean_step))
    throw Error(ErrorKind::kUsage, fmt::format("method.mean_step: got {}, expected above 0", options.mean_step));
  if (!(options.average_decay >= 0 && options.average_decay < 1))
    throw Error(ErrorKind::kUsage,
                fmt::format("method.average: got {}, expected at least 0 and below 1", options.average_decay));
}

ClosedForm::ClosedForm(const ClosedFormOptions& options, const optim::OptimizerOptions& optimizer,
                       const params::FlatLayout& layout, const at::Tensor& like)
    : options_(options) {
  validate(options_);
  const bool newton = options_.mean_update == MeanUpdate::kNewton;
  if (!newton || options_.points) optimizer_.emplace(optimizer, layout, std::vector<std::string>{"mean"}, like);
  if (newton && options_.average_decay > 0) average_ = at::zeros_like(like);
  if (options_.samples > 1) {
    score_mean_ = at::empty_like(like);
    score_noise_ = at::empty_like(like);
  }
}

StepStats ClosedForm::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::DiagonalGaussian& q = diagonal_gaussian(family, target);
  return variational::for_dtype(q.mean(), [&](auto tag) { return step_as<decltype(tag)>(target, q, info); });
}

template <class T>
StepStats ClosedForm::step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info) {
  const kernels::Exec exec = params::exec_for(q.mean());
  StepStats stats = blank_stats();
  kernels::UpdateInput<T> in = update_input<T>(target, info);
  at::Tensor score;
  if (!gather_scores<T>(target, info, q.mean(), q.log_std(), options_.samples, {score_mean_, score_noise_}, score, in,
                        stats, [](const kernels::UpdateInput<T>&) {}))
    return stats;

  kernels::ClosedFormOptions<T> solver;
  solver.beta = options_.beta;
  solver.corrected = options_.corrected;
  solver.newton = options_.mean_update == MeanUpdate::kNewton;
  solver.mean_step = options_.mean_step * info.lr_factor;
  solver.average_decay = options_.average_decay;
  if (average_.defined()) {
    average_steps_ += 1;
    solver.average = average_.data_ptr<T>();
    solver.average_bias = 1 - std::pow(options_.average_decay, static_cast<double>(average_steps_));
  }
  kernels::OptimizerSlot<T> log_std;
  log_std.param = q.log_std().data_ptr<T>();
  kernels::OptimizerSlot<T> mean;
  mean.param = q.mean().data_ptr<T>();
  if (optimizer_) mean = optimizer_->slot<T>("mean", q.mean());
  const auto kernel = [&](const kernels::UpdateInput<T>& part, const kernels::OptimizerRule& rule) {
    return kernels::closed_form_update<T>(exec, part, solver, rule, mean, log_std);
  };
  SCOREVI_CHECK(options_.points || q.points().empty());
  const auto ranges = joint_ranges(target.prior(), optimizer_ ? &*optimizer_ : nullptr, q.dim(), q.points());
  kernels::UpdateStats total;
  if (optimizer_) {
    total = optimizer_pass<T>(*optimizer_, ranges, in, info.lr_factor, q.mean(), stats, kernel);
  } else {
    total = over_ranges<T>(ranges, in, [&](const kernels::UpdateInput<T>& part, const JointRange&) {
      return kernel(part, kernels::OptimizerRule{});
    });
    stats.gradient_norm = std::sqrt(total.gradient_sq);
  }
  check_gaussian(total, q, options_, stats);
  stats.loss = target.loss_scale() * (stats.kl - total.log_prior - stats.log_density);
  return stats;
}

void ClosedForm::save(params::StateDict& state, const params::FlatLayout& layout) const {
  if (optimizer_) optimizer_->save(state, layout);
  if (!average_.defined()) return;
  layout.add_to(state, kAverage, average_);
  state.set_int(kAverageSteps, average_steps_);
}

void ClosedForm::load(const params::StateDict& state, const params::FlatLayout& layout) {
  if (optimizer_) optimizer_->load(state, layout);
  if (!average_.defined()) return;
  layout.read_from(state, kAverage, average_);
  average_steps_ = state.get_int(kAverageSteps);
}

std::vector<std::string> ClosedForm::buffers() const {
  std::vector<std::string> names;
  if (optimizer_) names = optimizer_->buffers();
  if (average_.defined()) names.push_back(kAverage);
  if (score_mean_.defined()) names.insert(names.end(), {"score_mean", "score_noise"});
  return names;
}

}  // namespace scorevi::inference
