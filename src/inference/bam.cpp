#include "scorevi/inference/bam.h"

#include <cmath>
#include <utility>

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "full_frame.h"
#include "scorevi/core/error.h"

namespace scorevi::inference {

void validate(const BamOptions& options) {
  validate(static_cast<const GaussianOptions&>(options), "method");
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
    throw Error(ErrorKind::kUsage,
                fmt::format("method.lambda: got {}, expected above 0, or 0 for the default", options.lambda));
  if (!(options.jitter >= 0) || !std::isfinite(options.jitter))
    throw Error(ErrorKind::kUsage, fmt::format("method.jitter: got {}, expected at least 0", options.jitter));
}

double lambda_at(const BamOptions& options, int64_t step, int64_t dim) {
  const double start =
      options.lambda > 0 ? options.lambda : static_cast<double>(options.samples) * static_cast<double>(dim);
  const auto count = static_cast<double>(step + 1);
  switch (options.schedule) {
    case LambdaSchedule::kConstant:
      return start;
    case LambdaSchedule::kSqrt:
      return start / std::sqrt(count);
    case LambdaSchedule::kLinear:
      break;
  }
  return start / count;
}

namespace {

// The new q in coordinates where the old one is N(0, I): N(shift, root root^T).
struct Match {
  at::Tensor root, shift;
  double least_scale = 1;  // of the root against that of V: how far the sharpest direction shrank
};

// noise and scores [B, r] in these coordinates. With V = K K^T and stacked, centred scores Q, U = Q^T Q, the singular
// value decomposition Q K = P diag(s) W^T gives root = K W diag(sqrt c), c = 2/(1 + sqrt(1 + 4 s^2)). The mean score is
// the last row of Q, so that it enters by c s <= 1: no score, however large, makes the step long.
Match solve(const at::Tensor& noise, const at::Tensor& score, double lambda) {
  const int64_t samples = noise.size(0), dim = noise.size(1);
  const double each = std::sqrt(lambda / static_cast<double>(samples)), all = std::sqrt(lambda / (1 + lambda));
  const at::Tensor noise_mean = noise.mean(/*dim=*/0), score_mean = score.mean(/*dim=*/0);
  const at::Tensor draws = at::cat({(noise - noise_mean) * each, (noise_mean * all).unsqueeze(0)});
  const at::Tensor scores = at::cat({(score - score_mean) * each, (score_mean * all).unsqueeze(0)});
  at::Tensor v = at::eye(dim, noise.options());
  const at::Tensor v_root = at::linalg_cholesky(v.addmm_(draws.t(), draws));

  const auto [p, s, w] = at::linalg_svd(scores.matmul(v_root), /*full_matrices=*/samples + 1 < dim);
  const at::Tensor c = 2 / (1 + at::hypot(s * 2, at::ones_like(s)));
  const int64_t rank = s.numel();
  at::Tensor along = at::zeros({dim}, noise.options()), scale = at::ones({dim}, noise.options());
  along.slice(0, 0, rank).copy_(c * s * p[samples].slice(0, 0, rank));
  scale.slice(0, 0, rank).copy_(c.sqrt());
  const at::Tensor turned = v_root.matmul(w.t());
  return {turned * scale, all * turned.mv(along) + (all * all) * noise_mean, scale.min().item<double>()};
}

// Subtracting the identity costs a shrinking direction its digits; below this scale it does not pay.
constexpr double kLeastScale = 1e-6;

// A root of the new covariance, and the new mean.
std::pair<at::Tensor, at::Tensor> matched(const variational::FullGaussian& q, const White& white, double lambda) {
  const int64_t samples = white.noise.size(0);
  if (2 * samples < q.dim()) {
    const at::Tensor sizes = white.score.abs().amax(/*dim=*/1, /*keepdim=*/true).clamp_min(1e-300);
    const at::Tensor spanning = at::cat({white.noise, white.score / sizes}).t();
    const at::Tensor basis = std::get<0>(at::linalg_qr(spanning, "reduced"));  // [D, 2 B]
    const Match match = solve(white.noise.matmul(basis), white.score.matmul(basis), lambda);
    if (match.least_scale > kLeastScale) {
      const at::Tensor directions = q.factor().matmul(basis);
      const at::Tensor change = match.root - at::eye(2 * samples, basis.options());
      return {at::addmm(q.factor(), directions.matmul(change), basis.t()),
              at::addmv(q.mean(), directions, match.shift)};
    }
  }
  const Match match = solve(white.noise, white.score, lambda);
  return {q.factor().matmul(match.root), at::addmv(q.mean(), q.factor(), match.shift)};
}

at::Tensor with_jitter(const at::Tensor& factor, double jitter) {
  if (jitter == 0) return factor;
  at::Tensor covariance = factor.matmul(factor.t());
  covariance.diagonal().add_(jitter);
  return at::linalg_cholesky(covariance);
}

}  // namespace

FullUpdate bam_update(const variational::FullGaussian& q, const ScoredDraws& draws, double lambda, double jitter) {
  const White white = whiten(q, draws);
  try {
    const auto [root, mean] = matched(q, white, lambda);
    return {mean, with_jitter(triangular(root), jitter), white.matching};
  } catch (const c10::LinAlgError&) {  // a decomposition met values that are not finite, or did not converge
    return {{}, {}, white.matching};
  }
}

Bam::Bam(const BamOptions& options) : options_(options) { validate(options_); }

StepStats Bam::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  const double lambda = lambda_at(options_, info.step, target.dim());
  return closed_form_step(target, family, options_, info,
                          [&](const variational::FullGaussian& q, const ScoredDraws& draws) {
                            return bam_update(q, draws, lambda, options_.jitter);
                          });
}

}  // namespace scorevi::inference
