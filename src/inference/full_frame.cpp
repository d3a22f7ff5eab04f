#include "full_frame.h"

#include <cmath>

#include <ATen/ATen.h>

#include "prior_groups.h"
#include "scorevi/core/constants.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

// A sum is finite only where all its terms are.
bool is_finite(const at::Tensor& values) { return std::isfinite(values.sum().item<double>()); }

bool is_factor(const at::Tensor& factor) { return is_finite(factor) && factor.diagonal().min().item<double>() > 0; }

}  // namespace

variational::FullGaussian& full_gaussian(variational::Family& family, const LogDensity& target) {
  auto* gaussian = dynamic_cast<variational::FullGaussian*>(&family);
  SCOREVI_CHECK(gaussian != nullptr);
  SCOREVI_CHECK_OP(gaussian->dim(), ==, target.dim());
  return *gaussian;
}

std::optional<Batch> draw_batch(LogDensity& target, const at::Tensor& mean, const at::Tensor& factor, int64_t samples,
                                const StepInfo& info, BadDraws bad_draws, StepStats& stats) {
  const int64_t dim = mean.numel();
  Batch batch;
  batch.noise = at::empty({samples, dim}, mean.options());
  const kernels::Exec exec = params::exec_for(mean);
  kernels::NoiseKey key = noise_key(info);
  for (int64_t i = 0; i < samples; ++i, ++key.sample)
    kernels::fill_normal<double>(exec, 0, dim, key, batch.noise.data_ptr<double>() + i * dim);
  batch.theta = at::addmm(mean, batch.noise, factor.t());
  batch.score = at::empty_like(batch.noise);
  const at::Tensor point = target.point();
  double density_sum = 0;
  std::vector<int64_t> good;
  for (int64_t i = 0; i < samples; ++i) {
    point.copy_(batch.theta[i]);
    const std::optional<at::Tensor> score = checked_score(target, info, stats);
    if (!score && (bad_draws == BadDraws::kRefuseStep || (good.empty() && i + 1 == samples))) return std::nullopt;
    if (!score) continue;
    batch.score[i].copy_(*score);
    density_sum += stats.log_density;
    good.push_back(i);
  }
  stats.status = StepStatus::kOk;
  stats.nonfinite = 0;
  stats.bad_index = -1;
  stats.log_density = density_sum / static_cast<double>(good.size());
  if (static_cast<int64_t>(good.size()) == samples) return batch;
  const at::Tensor rows = at::tensor(good, at::kLong);
  return Batch{batch.noise.index_select(0, rows), batch.theta.index_select(0, rows), batch.score.index_select(0, rows)};
}

at::Tensor PriorVectors::score(const at::Tensor& theta) const { return (mean - theta) * precision; }

PriorVectors prior_vectors(const LogDensity& target) {
  const at::TensorOptions doubles(at::kDouble);
  PriorVectors vectors{at::zeros({target.dim()}, doubles), at::zeros({target.dim()}, doubles)};
  const GaussianPrior* prior = target.prior();
  for_informative(prior, [&](int64_t begin, int64_t end, double std) {
    vectors.precision.slice(0, begin, end).fill_(1 / (std * std));
  });
  if (prior && prior->mean.defined()) vectors.mean.copy_(prior->mean);
  return vectors;
}

White whiten(const variational::FullGaussian& q, const ScoredDraws& draws) {
  White white{draws.noise, draws.score.matmul(q.factor())};
  white.matching = (white.noise + white.score).square().sum(/*dim=*/1).mean().item<double>();
  return white;
}

at::Tensor triangular(const at::Tensor& root) {
  const at::Tensor upper = std::get<1>(at::linalg_qr(root.t(), "r"));
  return (upper * upper.diagonal().sign().unsqueeze(1)).t().contiguous();
}

void measure_elbo(const LogDensity& target, const variational::FullGaussian& q, StepStats& stats) {
  stats.kl = -q.entropy();
  if (target.prior()) {
    const PriorVectors prior = prior_vectors(target);
    const at::Tensor squares = (q.mean() - prior.mean).square() + q.factor().square().sum(/*dim=*/1);
    const at::Tensor informative = prior.precision.masked_select(prior.precision.gt(0));
    stats.kl += 0.5 * ((prior.precision * squares).sum() - informative.log().sum()).item<double>();
    stats.kl += 0.5 * kLogTwoPi * static_cast<double>(informative.numel());
  }
  stats.loss = target.loss_scale() * (stats.kl - stats.log_density);
}

void measure_family(const variational::FullGaussian& q, const GaussianOptions& limits, StepStats& stats) {
  const at::Tensor sigma = q.standard_deviations();
  stats.sigma_mean = sigma.mean().item<double>();
  stats.sigma_min = sigma.min().item<double>();
  stats.sigma_max = sigma.max().item<double>();
  const double low = std::exp(limits.min_log_std), high = std::exp(limits.max_log_std);
  const bool finite = is_finite(q.mean()) && is_factor(q.factor());
  if (finite && stats.sigma_min >= low && stats.sigma_max <= high) return;
  stats.status = StepStatus::kDiverged;
  const at::Tensor good =
      finite ? sigma.ge(low) & sigma.le(high)
             : q.mean().isfinite() & q.factor().isfinite().all(/*dim=*/1) & q.factor().diagonal().gt(0);
  const at::Tensor bad = good.logical_not().nonzero();
  stats.nonfinite = finite ? 0 : bad.numel();
  stats.bad_index = bad.numel() > 0 ? bad[0].item<int64_t>() : -1;
}

StepStats closed_form_step(
    LogDensity& target, variational::Family& family, const GaussianOptions& options, const StepInfo& info,
    const std::function<FullUpdate(const variational::FullGaussian&, const ScoredDraws&)>& update) {
  variational::FullGaussian& q = full_gaussian(family, target);
  StepStats stats = blank_stats();
  const std::optional<Batch> batch =
      draw_batch(target, q.mean(), q.factor(), options.samples, info, BadDraws::kLeaveOut, stats);
  if (!batch) return stats;
  measure_elbo(target, q, stats);
  at::Tensor score = batch->score;
  if (target.prior()) score = score + prior_vectors(target).score(batch->theta);
  const FullUpdate next = update(q, {batch->noise, score});
  stats.matching = next.matching;
  if (next.factor.defined() && is_finite(next.mean) && is_factor(next.factor)) {
    q.mean().copy_(next.mean);
    q.factor().copy_(next.factor);
  } else {
    stats.status = StepStatus::kBadUpdate;
  }
  measure_family(q, options, stats);
  return stats;
}

FullOptimizer::FullOptimizer(const optim::OptimizerOptions& options, const params::FlatLayout& layout,
                             const at::Tensor& like)
    : mean_(options, layout, {"mean"}, like),
      factor_(options, layout.matrix_rows(), {"factor"}, at::empty({like.numel() * like.numel()}, like.options())) {}

void FullOptimizer::step(const at::Tensor& mean_gradient, const at::Tensor& factor_gradient, double scale,
                         double lr_factor, variational::FullGaussian& q, StepStats& stats) {
  SCOREVI_CHECK(factor_gradient.is_contiguous());
  mean_.begin_step();
  factor_.begin_step();
  stats.gradient_norm = scale * std::sqrt(square_sum(mean_gradient) + square_sum(factor_gradient));
  if (mean_.clips_norm()) scale *= mean_.clip_factor(stats.gradient_norm);
  apply_gradient(mean_, "mean", mean_gradient, scale, lr_factor, /*decay=*/true, q.mean());
  apply_gradient(factor_, "factor", factor_gradient, scale, lr_factor, /*decay=*/false, q.factor());

  const at::Tensor diagonal = q.factor().diagonal();
  if (diagonal.min().item<double>() >= 0) return;
  const at::Tensor signs = at::where(diagonal.lt(0), -1.0, 1.0).to(at::kDouble);
  q.factor().mul_(signs);
  if (double* momentum = factor_.slot<double>("factor", q.factor()).first)
    at::from_blob(momentum, q.factor().sizes(), q.factor().options()).mul_(signs);
}

void FullOptimizer::save(params::StateDict& state, const params::FlatLayout& layout) const {
  mean_.save(state, layout);
  factor_.save(state, layout.matrix_rows());
}

void FullOptimizer::load(const params::StateDict& state, const params::FlatLayout& layout) {
  mean_.load(state, layout);
  factor_.load(state, layout.matrix_rows());
}

std::vector<std::string> FullOptimizer::buffers() const {
  std::vector<std::string> names = mean_.buffers();
  for (const std::string& name : factor_.buffers()) names.push_back(name);
  return names;
}

}  // namespace scorevi::inference
