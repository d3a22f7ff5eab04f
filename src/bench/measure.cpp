#include "measure.h"

#include <cmath>

#include <ATen/ATen.h>

#include "scorevi/core/check.h"
#include "scorevi/inference/log_weights.h"
#include "scorevi/metrics/divergence.h"
#include "scorevi/metrics/pareto.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::bench {
namespace {

constexpr int64_t kTruthDraws = 20000;
constexpr int64_t kMaxDrawnCovariance = 1024;
const double kLogTwoPi = std::log(2 * M_PI);

kernels::NoiseKey draw_key(uint64_t seed, int64_t draw) {
  return {seed, /*step=*/0, static_cast<uint32_t>(draw), Purpose::kPrediction};
}

// Covariance of a Gaussian family as GaussianMoments takes it.
metrics::GaussianMoments moments_of(const variational::Family& family) {
  if (const auto* diagonal = dynamic_cast<const variational::DiagonalGaussian*>(&family))
    return {diagonal->mean(), (2 * diagonal->log_std()).exp()};
  const auto& full = dynamic_cast<const variational::FullGaussian&>(family);
  return {full.mean(), full.covariance()};
}

// E_p[log q] from the moments of p; NaN where a full q meets a p of which only variances are known.
double cross_log_density(const variational::Family& family, const Truth& truth) {
  const auto dim = static_cast<double>(family.dim());
  if (const auto* q = dynamic_cast<const variational::DiagonalGaussian*>(&family)) {
    const at::Tensor spread = truth.variance + (truth.mean - q->mean()).square();
    return -(q->log_std().sum() + (spread / (2 * q->log_std()).exp()).sum() / 2).item<double>() - dim * kLogTwoPi / 2;
  }
  if (!truth.covariance.defined()) return Measurement::kNaN;
  const auto& q = dynamic_cast<const variational::FullGaussian&>(family);
  const at::Tensor shift = truth.mean - q.mean();
  const at::Tensor spread = truth.covariance + at::outer(shift, shift);
  const at::Tensor half = at::linalg_solve_triangular(q.factor(), spread, /*upper=*/false);
  const at::Tensor whole = at::linalg_solve_triangular(q.factor(), half.t(), /*upper=*/false);
  return -(q.factor().diagonal().log().sum() + whole.diagonal().sum() / 2).item<double>() - dim * kLogTwoPi / 2;
}

void compare_moments(const Approximation& q, const Truth& truth, Measurement& result) {
  const at::Tensor& sd = truth.reference.sd;
  if (!sd.defined()) return;
  result.mean_error = ((q.mean - truth.reference.mean) / sd).norm().item<double>();
  if (q.sd.defined()) result.sd_error = ((q.sd - sd) / sd).norm().item<double>();
}

int64_t nearest_mode(const at::Tensor& modes, const at::Tensor& theta) {
  return (modes - theta).square().sum(1).argmin().item<int64_t>();
}

std::vector<double> mode_shares(const variational::Family& q, const at::Tensor& modes, int64_t draws, uint64_t seed) {
  std::vector<double> shares(static_cast<std::size_t>(modes.size(0)), 0);
  const at::Tensor theta = at::empty({q.dim()}, at::TensorOptions().dtype(at::kDouble));
  for (int64_t i = 0; i < draws; ++i) {
    q.sample(draw_key(seed, i), theta);
    shares[static_cast<std::size_t>(nearest_mode(modes, theta))] += 1 / static_cast<double>(draws);
  }
  return shares;
}

// By draws of q: ELBO, k-hat and which modes it covers.
void measure_draws(const variational::Family& q, targets::AnalyticTarget& target, const Truth& truth, int64_t draws,
                   uint64_t seed, bool final, Measurement& result) {
  const at::Tensor weights = inference::log_weights(target, q, draw_key(seed, 0), draws);
  const inference::ElboEstimate elbo = inference::elbo_of(weights);
  result.elbo = elbo.value;
  result.elbo_error = elbo.standard_error;
  result.reverse_kl = truth.reference.log_normaliser - elbo.value;
  if (truth.modes.defined()) result.mode_shares = mode_shares(q, truth.modes, draws, seed);
  const auto* begin = weights.const_data_ptr<double>();
  if (final) result.k_hat = metrics::smooth_weights({begin, begin + draws}).k;
}

void exact_divergences(const variational::Family& family, const Truth& truth, Measurement& result) {
  const metrics::GaussianMoments q = moments_of(family);
  const metrics::GaussianMoments p = {truth.mean, truth.covariance.defined() ? truth.covariance : truth.variance};
  result.forward_kl = metrics::gaussian_kl(p, q);
  result.reverse_kl = metrics::gaussian_kl(q, p);
}

// Moments of exact draws, one pass in blocks.
void measure_target(targets::KnownTarget& target, Truth& truth) {
  const int64_t dim = target.density->dim();
  const auto double_cpu = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor block = at::empty({500, dim}, double_cpu);
  const at::Tensor centre = truth.reference.mean.defined() ? truth.reference.mean : at::zeros({dim}, double_cpu);
  at::Tensor sum = at::zeros({dim}, double_cpu), squares = at::zeros({dim}, double_cpu), products;
  if (dim <= kMaxDrawnCovariance) products = at::zeros({dim, dim}, double_cpu);
  double density = 0;
  SCOREVI_CHECK(target.density->prior() == nullptr);  // targets with a sampler are whole
  for (int64_t draw = 0; draw < kTruthDraws; ++draw) {
    const int64_t row = draw % block.size(0);
    const at::Tensor theta = block[row];
    target.sample(draw_key(0, draw), theta);
    density += target.density->evaluate(theta).log_density / kTruthDraws;
    if (row + 1 < block.size(0)) continue;
    const at::Tensor shifted = block - centre;
    sum += shifted.sum(0);
    squares += shifted.square().sum(0);
    if (products.defined()) products.addmm_(shifted.t(), shifted);
  }
  const at::Tensor shift = sum / kTruthDraws;
  truth.mean = centre + shift;
  truth.variance = squares / kTruthDraws - shift.square();
  if (products.defined()) truth.covariance = products / kTruthDraws - at::outer(shift, shift);
  truth.mean_log_density = density;
}

}  // namespace

Truth::Truth(targets::KnownTarget& target) : reference(target.reference) {
  if (!target.modes.empty()) modes = at::stack(target.modes);
  if (reference.gaussian) {
    mean = reference.mean;
    variance = reference.sd.square();
    covariance = reference.covariance;
  } else if (target.sample) {
    measure_target(target, *this);
  }
}

Approximation approximation_of(const variational::Family& family) {
  Approximation q;
  q.family = &family;
  q.mean = at::empty({family.dim()}, at::TensorOptions().dtype(at::kDouble));
  family.mean_into(q.mean);
  if (const auto* diagonal = dynamic_cast<const variational::DiagonalGaussian*>(&family))
    q.sd = diagonal->log_std().exp();
  else if (const auto* full = dynamic_cast<const variational::FullGaussian*>(&family))
    q.sd = full->standard_deviations();
  else
    q.family = nullptr;  // a point has no density
  return q;
}

Measurement measure(const Approximation& q, targets::AnalyticTarget& target, const Truth& truth, int64_t draws,
                    uint64_t seed, bool final) {
  Measurement result;
  compare_moments(q, truth, result);
  if (q.family == nullptr) return result;
  measure_draws(*q.family, target, truth, draws, seed, final, result);
  if (truth.reference.gaussian)
    exact_divergences(*q.family, truth, result);
  else if (truth.mean.defined() && !truth.reference.sd.defined())
    result.forward_kl = std::numeric_limits<double>::infinity();  // p has no second moments
  else if (truth.mean.defined())
    result.forward_kl = truth.mean_log_density - truth.reference.log_normaliser - cross_log_density(*q.family, truth);
  return result;
}

}  // namespace scorevi::bench
