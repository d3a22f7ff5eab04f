#include "scorevi/inference/advi.h"

#include <ATen/ops/empty_like.h>

#include "step_frame.h"

namespace scorevi::inference {

void validate(const AdviOptions& options) { validate(static_cast<const GaussianOptions&>(options), "method"); }

Advi::Advi(const AdviOptions& options, const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout,
           const at::Tensor& like)
    : options_(options), optimizer_(optimizer, layout, {"mean", "log_std"}, like) {
  validate(options_);
  if (options_.samples > 1) {
    score_mean_ = at::empty_like(like);
    score_noise_ = at::empty_like(like);
  }
}

StepStats Advi::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::DiagonalGaussian& q = diagonal_gaussian(family, target);
  return variational::for_dtype(q.mean(), [&](auto tag) { return step_as<decltype(tag)>(target, q, info); });
}

template <class T>
StepStats Advi::step_as(LogDensity& target, variational::DiagonalGaussian& q, const StepInfo& info) {
  const kernels::Exec exec = params::exec_for(q.mean());
  StepStats stats = blank_stats();
  kernels::UpdateInput<T> in = update_input<T>(target, info);
  at::Tensor score;
  if (!gather_scores<T>(target, info, q.mean(), q.log_std(), options_.samples, {score_mean_, score_noise_}, score, in,
                        stats, [](const kernels::UpdateInput<T>&) {}))
    return stats;

  const auto mean = optimizer_.slot<T>("mean", q.mean());
  const auto log_std = optimizer_.slot<T>("log_std", q.log_std());
  const auto ranges = joint_ranges(target.prior(), &optimizer_, q.dim(), q.points());
  const kernels::UpdateStats total =
      optimizer_pass<T>(optimizer_, ranges, in, info.lr_factor, q.mean(), stats,
                        [&](const kernels::UpdateInput<T>& part, const kernels::OptimizerRule& rule) {
                          return kernels::advi_update<T>(exec, part, options_.kl_sampled, rule, mean, log_std);
                        });
  check_gaussian(total, q, options_, stats);
  stats.loss = target.loss_scale() * (stats.kl - total.log_prior - stats.log_density);
  return stats;
}

void Advi::save(params::StateDict& state, const params::FlatLayout& layout) const { optimizer_.save(state, layout); }

void Advi::load(const params::StateDict& state, const params::FlatLayout& layout) { optimizer_.load(state, layout); }

std::vector<std::string> Advi::buffers() const {
  std::vector<std::string> names = optimizer_.buffers();
  if (score_mean_.defined()) names.insert(names.end(), {"score_mean", "score_noise"});
  return names;
}

}  // namespace scorevi::inference
