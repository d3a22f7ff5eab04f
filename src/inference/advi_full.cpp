#include "scorevi/inference/advi_full.h"

#include <ATen/ATen.h>

#include "full_frame.h"
#include "step_frame.h"

namespace scorevi::inference {

AdviFull::AdviFull(const AdviOptions& options, const optim::OptimizerOptions& optimizer,
                   const params::FlatLayout& layout, const at::Tensor& like)
    : options_(options), optimizer_(std::make_unique<FullOptimizer>(optimizer, layout, like)) {
  validate(options_);
}

AdviFull::~AdviFull() = default;

StepStats AdviFull::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  variational::FullGaussian& q = full_gaussian(family, target);
  StepStats stats = blank_stats();
  const auto batch = draw_batch(target, q.mean(), q.factor(), options_.samples, info, BadDraws::kRefuseStep, stats);
  if (!batch) return stats;
  measure_elbo(target, q, stats);

  const PriorVectors prior = prior_vectors(target);
  const at::Tensor score = options_.kl_sampled ? batch->score + prior.score(batch->theta) : batch->score;
  at::Tensor mean_gradient = score.mean(/*dim=*/0).neg_();
  at::Tensor factor_gradient = score.t().matmul(batch->noise).mul_(-1.0 / static_cast<double>(options_.samples));
  factor_gradient.tril_();
  factor_gradient.diagonal().sub_(q.factor().diagonal().reciprocal());
  if (!options_.kl_sampled) {
    mean_gradient.addcmul_(prior.precision, q.mean() - prior.mean);
    factor_gradient.addcmul_(prior.precision.unsqueeze(1), q.factor());
  }
  optimizer_->step(mean_gradient, factor_gradient, target.loss_scale(), info.lr_factor, q, stats);
  measure_family(q, options_, stats);
  return stats;
}

void AdviFull::save(params::StateDict& state, const params::FlatLayout& layout) const {
  optimizer_->save(state, layout);
}

void AdviFull::load(const params::StateDict& state, const params::FlatLayout& layout) {
  optimizer_->load(state, layout);
}

std::vector<std::string> AdviFull::buffers() const { return optimizer_->buffers(); }

}  // namespace scorevi::inference
