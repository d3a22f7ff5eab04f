#include "scorevi/inference/fisher.h"

#include <cmath>

#include <ATen/ATen.h>

#include "diagonal_frame.h"
#include "scorevi/inference/registry.h"
#include "step_frame.h"

namespace scorevi::inference {

Fisher::Fisher(const GaussianOptions& options, const optim::OptimizerOptions& optimizer,
               const params::FlatLayout& layout, const at::Tensor& like)
    : options_(options), optimizer_(optimizer, layout, {"mean", "log_std"}, like) {
  validate(options_, "method");
  for (at::Tensor* buffer : {&noise_, &scratch_, &residual_, &mean_gradient_, &log_std_gradient_})
    *buffer = at::zeros_like(like);
}

bool Fisher::add_sample(LogDensity& target, const variational::Family& family, const StepInfo& info, int64_t sample,
                        StepStats& stats) {
  const auto& q = static_cast<const variational::DiagonalGaussian&>(family);
  const GaussianPrior* prior = target.prior();
  at::Tensor theta = target.point();
  fill_noise(info, sample, noise_);
  const at::Tensor& sigma = scratch_;
  at::exp_out(scratch_, q.log_std());
  at::addcmul_out(theta, q.mean(), sigma, noise_);
  const std::optional<at::Tensor> score = checked_score(target, info, stats);
  if (!score) return false;

  at::div_out(residual_, noise_, sigma).neg_().sub_(*score);
  add_prior_score(prior, theta, -1, residual_);
  const double share = 1 / static_cast<double>(options_.samples);
  const at::Tensor product = target.hessian_product(theta, residual_);
  stats.evaluations += kHessianProductCost;
  if (!is_finite_score(product, stats)) return false;
  stats.matching += share * square_sum(residual_);

  mean_gradient_.add_(product, -2 * share);
  add_prior_curvature(prior, residual_, {}, -2 * share, mean_gradient_);
  noise_.mul_(sigma);  // d theta / d rho
  log_std_gradient_.addcmul_(product, noise_, -2 * share);
  add_prior_curvature(prior, residual_, noise_, -2 * share, log_std_gradient_);
  noise_.div_(sigma).div_(sigma);  // d (grad log q) / d rho
  log_std_gradient_.addcmul_(residual_, noise_, 2 * share);
  return true;
}

StepStats Fisher::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::DiagonalGaussian& q = diagonal_gaussian(family, target);
  check_target("fisher", target);
  StepStats stats = blank_stats();
  stats.matching = 0;
  mean_gradient_.zero_();
  log_std_gradient_.zero_();
  double density_sum = 0;
  for (int64_t i = 0; i < options_.samples; ++i) {
    if (!add_sample(target, q, info, i, stats)) return stats;
    density_sum += stats.log_density;
  }
  stats.log_density = density_sum / static_cast<double>(options_.samples);
  stats.loss = target.loss_scale() * stats.matching;
  stats.kl = gaussian_kl(q, target.prior(), scratch_);

  double scale = target.loss_scale();
  stats.gradient_norm = scale * std::sqrt(square_sum(mean_gradient_) + square_sum(log_std_gradient_));
  if (optimizer_.clips_norm()) scale *= optimizer_.clip_factor(stats.gradient_norm);
  optimizer_.begin_step();
  apply_gradient(optimizer_, "mean", mean_gradient_, scale, info.lr_factor, /*decay=*/true, q.mean());
  apply_gradient(optimizer_, "log_std", log_std_gradient_, scale, info.lr_factor, /*decay=*/false, q.log_std());
  measure_gaussian(q, options_, scratch_, stats);
  return stats;
}

void Fisher::save(params::StateDict& state, const params::FlatLayout& layout) const { optimizer_.save(state, layout); }

void Fisher::load(const params::StateDict& state, const params::FlatLayout& layout) { optimizer_.load(state, layout); }

std::vector<std::string> Fisher::buffers() const {
  std::vector<std::string> names = optimizer_.buffers();
  names.insert(names.end(), {"noise", "scratch", "residual", "gradient of mean", "gradient of log_std"});
  return names;
}

}  // namespace scorevi::inference
