#include "scorevi/inference/psm_full.h"

#include <ATen/ATen.h>

#include "full_frame.h"
#include "scorevi/core/error.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

const char* const kFrozenMean = "psm.frozen_mean";
const char* const kFrozenFactor = "psm.frozen_factor";

// Row by row L^-1 v and L^-T v.
at::Tensor solve_rows(const at::Tensor& factor, const at::Tensor& rows) {
  return at::linalg_solve_triangular(factor, rows.t(), /*upper=*/false).t();
}
at::Tensor solve_transposed_rows(const at::Tensor& factor, const at::Tensor& rows) {
  return at::linalg_solve_triangular(factor.t(), rows.t(), /*upper=*/true).t();
}

// All that the gradients are made from. q_t is frozen_mean, frozen_factor.
struct Inner {
  const at::Tensor& mean;
  const at::Tensor& factor;
  const at::Tensor& frozen_mean;
  const at::Tensor& frozen_factor;
  bool is_q;  // q = q_t
  const Batch& batch;
  PriorVectors prior;
  double alpha;
  bool covariance;  // the norm
};

struct Gradients {
  at::Tensor mean, factor;
  double matching = 0, proximal = 0;
};

// Mean over rows v of v^T W v.
double weighed(const Inner& in, const at::Tensor& rows) {
  const at::Tensor root = in.covariance ? rows.matmul(in.frozen_factor) : rows;
  return root.square().sum(/*dim=*/1).mean().item<double>();
}

// The losses as drawn, whatever the estimator, and the gradients of estimator sampled.
Gradients sampled_gradients(const Inner& in) {
  const Batch& batch = in.batch;
  const at::Tensor white = solve_rows(in.factor, batch.theta - in.mean);  // L^-1 (theta - m)
  const at::Tensor u = solve_transposed_rows(in.factor, white);
  const at::Tensor frozen_score = in.is_q ? -u : -solve_transposed_rows(in.frozen_factor, batch.noise);
  const at::Tensor score = batch.score + in.prior.score(batch.theta);
  at::Tensor rest = u * -(1 + in.alpha) - score - frozen_score * in.alpha;
  if (in.covariance) rest = rest.matmul(in.frozen_factor).matmul(in.frozen_factor.t());
  const at::Tensor half = solve_rows(in.factor, rest);
  const at::Tensor y = solve_transposed_rows(in.factor, half);
  const double share = 2.0 / static_cast<double>(u.size(0));
  Gradients gradients;
  gradients.mean = y.sum(/*dim=*/0) * share;
  gradients.factor = y.t().matmul(white).addmm_(u.t(), half).tril_().mul_(share);
  gradients.matching = weighed(in, u + score);
  gradients.proximal = weighed(in, u + frozen_score);
  return gradients;
}

// Replaces the gradients by those with E eps = 0 and E eps eps^T = 1.
void take_moments(const Inner& in, Gradients& gradients) {
  const at::Tensor delta = in.frozen_mean - in.mean;
  const at::Tensor precision = at::cholesky_inverse(in.factor);
  const at::Tensor frozen_covariance = in.frozen_factor.matmul(in.frozen_factor.t());
  const auto samples = static_cast<double>(in.batch.noise.size(0));
  const at::Tensor score = in.batch.score.mean(/*dim=*/0) + in.prior.score(in.frozen_mean);
  const at::Tensor with_noise = in.batch.score.t().matmul(in.batch.noise) / samples;  // E[likelihood score eps^T]

  const at::Tensor weighted = in.covariance ? precision.matmul(frozen_covariance) : precision;  // P W
  gradients.mean = weighted.mv(precision.mv(delta) * -(1 + in.alpha) - score) * 2;
  // E[score (theta - m)^T], and E[R (theta - m)^T] but for its factor P; E[s_t (theta - m)^T] = -1.
  const at::Tensor score_moment = at::outer(score, delta) + with_noise.matmul(in.frozen_factor.t()) -
                                  in.prior.precision.unsqueeze(1) * frozen_covariance;
  at::Tensor moment = precision.matmul(at::outer(delta, delta) + frozen_covariance) * -(1 + in.alpha) - score_moment;
  moment.diagonal().add_(in.alpha);
  const at::Tensor product = weighted.matmul(moment).matmul(precision);  // E[y u^T]
  gradients.factor = (product + product.t()).matmul(in.factor).tril_().mul_(2);
}

}  // namespace

ProximalScoreMatchingFull::ProximalScoreMatchingFull(const PsmOptions& options,
                                                     const optim::OptimizerOptions& optimizer,
                                                     const params::FlatLayout& layout, const at::Tensor& like)
    : options_(options), optimizer_(std::make_unique<FullOptimizer>(optimizer, layout, like)) {
  validate(options_);
  if (options_.estimator == kernels::Estimator::kAdaptive)
    throw Error(ErrorKind::kUsage,
                "method.estimator: got adaptive, expected analytic or sampled with posterior.family full_gaussian");
  if (options_.inner_steps > 1) {
    frozen_mean_ = at::zeros_like(like);
    frozen_factor_ = at::zeros({like.numel(), like.numel()}, like.options());
  }
}

ProximalScoreMatchingFull::~ProximalScoreMatchingFull() = default;

StepStats ProximalScoreMatchingFull::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::FullGaussian& q = full_gaussian(family, target);
  const bool first_inner = info.step % options_.inner_steps == 0;
  const at::Tensor& frozen_mean = first_inner ? q.mean() : frozen_mean_;
  const at::Tensor& frozen_factor = first_inner ? q.factor() : frozen_factor_;
  StepStats stats = blank_stats();
  stats.alpha = proximal_weight(options_, info.step, info.total_steps);
  if (first_inner && frozen_mean_.defined()) {
    frozen_mean_.copy_(q.mean());
    frozen_factor_.copy_(q.factor());
  }
  const auto batch =
      draw_batch(target, frozen_mean, frozen_factor, options_.samples, info, BadDraws::kRefuseStep, stats);
  if (!batch) return stats;
  measure_elbo(target, q, stats);

  const Inner inner{q.mean(),
                    q.factor(),
                    frozen_mean,
                    frozen_factor,
                    first_inner,
                    *batch,
                    prior_vectors(target),
                    stats.alpha,
                    options_.norm == kernels::Norm::kCovariance};
  Gradients gradients = sampled_gradients(inner);
  if (options_.estimator == kernels::Estimator::kAnalytic) take_moments(inner, gradients);
  stats.matching = gradients.matching;
  stats.proximal = gradients.proximal;
  stats.loss = target.loss_scale() * (stats.alpha * stats.proximal + stats.matching);
  optimizer_->step(gradients.mean, gradients.factor, target.loss_scale(), info.lr_factor, q, stats);
  measure_family(q, options_, stats);
  return stats;
}

void ProximalScoreMatchingFull::save(params::StateDict& state, const params::FlatLayout& layout) const {
  optimizer_->save(state, layout);
  if (!frozen_mean_.defined()) return;
  layout.add_to(state, kFrozenMean, frozen_mean_);
  layout.matrix_rows().add_to(state, kFrozenFactor, frozen_factor_.view({-1}));
}

void ProximalScoreMatchingFull::load(const params::StateDict& state, const params::FlatLayout& layout) {
  optimizer_->load(state, layout);
  if (!frozen_mean_.defined()) return;
  layout.read_from(state, kFrozenMean, frozen_mean_);
  layout.matrix_rows().read_from(state, kFrozenFactor, frozen_factor_.view({-1}));
}

std::vector<std::string> ProximalScoreMatchingFull::buffers() const {
  std::vector<std::string> names = optimizer_->buffers();
  if (frozen_mean_.defined()) names.insert(names.end(), {kFrozenMean, kFrozenFactor});
  return names;
}

}  // namespace scorevi::inference
