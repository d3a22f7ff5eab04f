#include "measure.h"

#include <cmath>

#include <ATen/ATen.h>

#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/log_weights.h"
#include "scorevi/metrics/divergence.h"
#include "scorevi/metrics/pareto.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::bench {
namespace {

constexpr int64_t kTruthDraws = 20000;
constexpr int64_t kMaxDrawnCovariance = 1024;
constexpr int64_t kChunk = 1000;
constexpr int64_t kBlockNumbers = 1 << 20;

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

// Those of p, with the covariance where it is known.
metrics::GaussianMoments moments_of(const Truth& truth) {
  return {truth.mean, truth.covariance.defined() ? truth.covariance : truth.variance};
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
    if (i % kChunk == 0) stop_if_signalled();
    q.sample(draw_key(seed, i), theta);
    shares[static_cast<std::size_t>(nearest_mode(modes, theta))] += 1 / static_cast<double>(draws);
  }
  return shares;
}

// Whether draws of q are hardly told apart in doubles: their weights would be the same whatever the target is.
bool is_collapsed(const variational::Family& family) {
  constexpr double kNarrow = 1e-10;
  const Approximation q = approximation_of(family);
  return q.sd.lt(q.mean.abs() * kNarrow).any().item<bool>();
}

// By draws of q: ELBO, k-hat and which modes it covers.
void measure_draws(const variational::Family& q, targets::AnalyticTarget& target, const Truth& truth, int64_t draws,
                   uint64_t seed, bool final, Measurement& result) {
  std::vector<at::Tensor> parts;
  for (int64_t begin = 0; begin < draws; begin += kChunk) {
    stop_if_signalled();
    parts.push_back(inference::log_weights(target, q, draw_key(seed, begin), std::min(kChunk, draws - begin)));
  }
  const at::Tensor weights = at::cat(parts);
  const inference::ElboEstimate elbo = inference::elbo_of(weights);
  result.elbo = elbo.value;
  result.elbo_error = elbo.standard_error;
  result.reverse_kl = truth.reference.log_normaliser - elbo.value;
  if (truth.modes.defined()) result.mode_shares = mode_shares(q, truth.modes, draws, seed);
  const auto* begin = weights.const_data_ptr<double>();
  if (final && !is_collapsed(q)) result.k_hat = metrics::smooth_weights({begin, begin + draws}).k;
}

void exact_divergences(const variational::Family& family, const Truth& truth, Measurement& result) {
  const metrics::GaussianMoments q = moments_of(family);
  const metrics::GaussianMoments p = moments_of(truth);
  result.forward_kl = metrics::gaussian_kl(p, q);
  result.reverse_kl = metrics::gaussian_kl(q, p);
}

struct MeanVariance {
  double mean = 0, variance = 0;
};

MeanVariance of(const at::Tensor& values) { return {values.mean().item<double>(), values.var().item<double>()}; }

// A Gaussian at work: its covariance is factored once.
class GaussianDensity {
 public:
  explicit GaussianDensity(const metrics::GaussianMoments& g)
      : mean_(g.mean),
        diagonal_(g.covariance.dim() == 1),
        factor_(diagonal_ ? g.covariance.sqrt() : at::linalg_cholesky(g.covariance)),
        log_scale_((diagonal_ ? factor_ : factor_.diagonal()).log().sum().item<double>()) {}

  // At the rows of theta [n, D].
  at::Tensor log_density(const at::Tensor& theta) const {
    const at::Tensor shifted = (theta - mean_).t();
    const at::Tensor white =
        diagonal_ ? shifted / factor_.unsqueeze(1) : at::linalg_solve_triangular(factor_, shifted, /*upper=*/false);
    return -(white.square().sum(0) / 2 + log_scale_ + dim() * kLogTwoPi / 2);
  }

  double entropy() const { return log_scale_ + dim() * (1 + kLogTwoPi) / 2; }

 private:
  double dim() const { return static_cast<double>(mean_.numel()); }

  at::Tensor mean_;
  bool diagonal_;
  at::Tensor factor_;  // [D, D], or standard deviations [D]
  double log_scale_;
};

// Whether a Gaussian has the moments: drawn ones of heavy tails may not be those of any.
bool has_gaussian(const Truth& truth) {
  if (!at::isfinite(truth.mean).all().item<bool>() || !at::isfinite(truth.variance).all().item<bool>()) return false;
  if (!truth.covariance.defined()) return truth.variance.gt(0).all().item<bool>();
  return at::isfinite(truth.covariance).all().item<bool>() &&
         std::get<1>(at::linalg_cholesky_ex(truth.covariance)).item<int>() == 0;
}

// From exact draws in blocks: moments that are not known in closed form, and E_p[log p]. Where the Gaussian g with the
// moments of p comes near it, E_p[log p - log g] is less noisy, for E_p[log g] is known.
void measure_target(targets::KnownTarget& target, Truth& truth) {
  SCOREVI_CHECK(target.density->prior() == nullptr);  // targets with a sampler are whole
  const int64_t dim = target.density->dim(), rows = std::min<int64_t>(kTruthDraws, kBlockNumbers / dim + 1);
  const auto double_cpu = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor block = at::empty({rows, dim}, double_cpu), log_p = at::empty({kTruthDraws}, double_cpu);
  const auto for_blocks = [&](auto&& use) {
    for (int64_t begin = 0; begin < kTruthDraws; begin += rows) {
      stop_if_signalled();
      const int64_t count = std::min(rows, kTruthDraws - begin);
      for (int64_t row = 0; row < count; ++row) target.sample(draw_key(0, begin + row), block[row]);
      use(begin, block.narrow(0, 0, count));
    }
  };
  const targets::Reference& known = truth.reference;
  const at::Tensor centre = known.mean.defined() ? known.mean : at::zeros({dim}, double_cpu);
  at::Tensor sum = at::zeros({dim}, double_cpu), squares = at::zeros({dim}, double_cpu), products;
  const bool lacks_covariance = !known.covariance.defined() && dim <= kMaxDrawnCovariance;
  if (lacks_covariance) products = at::zeros({dim, dim}, double_cpu);
  for_blocks([&](int64_t begin, const at::Tensor& theta) {
    for (int64_t row = 0; row < theta.size(0); ++row)
      log_p[begin + row] = target.density->evaluate(theta[row]).log_density - known.log_normaliser;
    const at::Tensor shifted = theta - centre;
    sum += shifted.sum(0);
    squares += shifted.square().sum(0);
    if (lacks_covariance) products.addmm_(shifted.t(), shifted);
  });
  const at::Tensor shift = sum / kTruthDraws;
  truth.mean = known.mean.defined() ? known.mean : centre + shift;
  truth.variance = known.sd.defined() ? known.sd.square() : squares / kTruthDraws - shift.square();
  truth.covariance = lacks_covariance ? products / kTruthDraws - at::outer(shift, shift) : known.covariance;

  // The unbiased mean of the smaller variance: with heavy tails log g is the noisy part, or there is no g.
  const MeanVariance alone = of(log_p);
  truth.mean_log_p = alone.mean;
  if (!has_gaussian(truth)) return;
  const GaussianDensity g(moments_of(truth));
  const at::Tensor log_g = at::empty_like(log_p);
  for_blocks([&](int64_t begin, const at::Tensor& theta) {
    log_g.narrow(0, begin, theta.size(0)).copy_(g.log_density(theta));
  });
  const MeanVariance difference = of(log_p - log_g);
  if (difference.variance < alone.variance) truth.mean_log_p = difference.mean - g.entropy();
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
    result.forward_kl = truth.mean_log_p - cross_log_density(*q.family, truth);
  return result;
}

}  // namespace scorevi::bench
