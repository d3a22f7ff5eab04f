#include <algorithm>

#include <ATen/ATen.h>

#include "diagonal_frame.h"
#include "scorevi/inference/bam.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

// Takes value number `count` into the running mean and the sum of squared deviations; `value` is overwritten.
void take(const at::Tensor& value, int64_t count, const at::Tensor& mean, const at::Tensor& sum) {
  const auto n = static_cast<double>(count);
  value.sub_(mean);
  mean.add_(value, 1 / n);
  sum.addcmul_(value, value, (n - 1) / n);
}

}  // namespace

BamDiagonal::BamDiagonal(const BamOptions& options, const at::Tensor& like) : options_(options) {
  validate(options_);
  for (at::Tensor* buffer : {&noise_, &scratch_, &noise_mean_, &noise_sum_, &score_mean_, &score_sum_})
    *buffer = at::zeros_like(like);
}

std::vector<std::string> BamDiagonal::buffers() const {
  return {"noise", "scratch", "noise mean", "noise deviations", "score mean", "score deviations"};
}

StepStats BamDiagonal::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::DiagonalGaussian& q = diagonal_gaussian(family, target);
  StepStats stats = blank_stats();
  for (at::Tensor* buffer : {&noise_mean_, &noise_sum_, &score_mean_, &score_sum_}) buffer->zero_();
  at::Tensor theta = target.point();
  double density_sum = 0;
  for (int64_t i = 0; i < options_.samples; ++i) {
    fill_noise(info, i, noise_);
    at::exp_out(scratch_, q.log_std());
    at::addcmul_out(theta, q.mean(), scratch_, noise_);
    const std::optional<at::Tensor> score = checked_score(target, info, stats);
    if (!score) return stats;
    density_sum += stats.log_density;
    take(noise_, i + 1, noise_mean_, noise_sum_);
    scratch_.copy_(*score);
    add_prior_score(target.prior(), theta, 1, scratch_);
    take(scratch_, i + 1, score_mean_, score_sum_);
  }
  stats.log_density = density_sum / static_cast<double>(options_.samples);
  stats.kl = gaussian_kl(q, target.prior(), scratch_);
  stats.loss = target.loss_scale() * (stats.kl - stats.log_density);

  // Where q is N(0, 1): score_sum becomes U, noise_sum V and then the new variance c.
  const double lambda = lambda_at(options_, info.step, /*dim=*/1);
  const double all = lambda / (1 + lambda), each = lambda / static_cast<double>(options_.samples);
  const at::Tensor& sigma = noise_;
  at::exp_out(noise_, q.log_std());
  score_mean_.mul_(sigma);
  score_sum_.mul_(sigma).mul_(sigma).mul_(each).addcmul_(score_mean_, score_mean_, all);
  noise_sum_.mul_(each).addcmul_(noise_mean_, noise_mean_, all).add_(1);
  at::mul_out(scratch_, score_sum_, noise_sum_).mul_(4).add_(1).sqrt_().add_(1);
  noise_sum_.mul_(2).div_(scratch_);
  score_mean_.mul_(noise_sum_).add_(noise_mean_).mul_(sigma);  // the step of the mean before the factor `all`
  noise_sum_.log_();
  if (first_nonfinite(score_mean_) >= 0 || first_nonfinite(noise_sum_) >= 0) {
    stats.status = StepStatus::kBadUpdate;
    stats.bad_index = std::max(first_nonfinite(score_mean_), first_nonfinite(noise_sum_));
    return stats;
  }
  q.mean().add_(score_mean_, all);
  q.log_std().add_(noise_sum_, 0.5);
  if (options_.jitter > 0) {
    scratch_.copy_(q.log_std()).mul_(2).exp_().add_(options_.jitter).log_();
    q.log_std().copy_(scratch_.mul_(0.5));
  }
  measure_gaussian(q, options_, scratch_, stats);
  return stats;
}

}  // namespace scorevi::inference
