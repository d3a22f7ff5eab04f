#include <ATen/ATen.h>

#include "full_frame.h"
#include "scorevi/core/error.h"
#include "scorevi/inference/psm_full.h"

namespace scorevi::inference {
namespace {

// Eigenvalue sums of C below this share of the largest: the batch has no spread there.
constexpr double kNoSpread = 1e-10;

// The symmetric X of least |X e + r|^2 over the rows e, r; 0 where the rows e say nothing about it.
at::Tensor symmetric_least_squares(const at::Tensor& e, const at::Tensor& r) {
  const double share = 1 / static_cast<double>(e.size(0));
  const at::Tensor moment = r.t().matmul(e) * share;
  const auto [values, vectors] = at::linalg_eigh(e.t().matmul(e) * share, "L");
  const at::Tensor sums = values.unsqueeze(0) + values.unsqueeze(1);
  const at::Tensor known = sums.gt(sums.max() * kNoSpread);
  const at::Tensor turned = vectors.t().matmul(moment + moment.t()).matmul(vectors);
  const at::Tensor solution = at::where(known, -turned / sums, 0.0);
  return vectors.matmul(solution).matmul(vectors.t());
}

}  // namespace

ClosedFormFull::ClosedFormFull(const ClosedFormOptions& options) : options_(options) {
  validate(options_);
  if (options_.mean_update != MeanUpdate::kNewton)
    throw Error(ErrorKind::kUsage,
                "method.mean_update: got optimizer, expected newton with posterior.family full_gaussian");
  if (options_.samples < 2)
    throw Error(ErrorKind::kUsage,
                "method.samples: got 1, expected at least 2 with posterior.family full_gaussian: one "
                "draw says nothing about a covariance");
}

FullUpdate closed_form_update(const variational::FullGaussian& q, const ScoredDraws& draws,
                              const ClosedFormOptions& options, double mean_step) {
  const White white = whiten(q, draws);
  const at::Tensor noise_mean = white.noise.mean(/*dim=*/0), score_mean = white.score.mean(/*dim=*/0);
  const at::Tensor rest = white.noise + white.score;
  const at::Tensor change =
      symmetric_least_squares(white.noise - noise_mean, rest - rest.mean(/*dim=*/0)) * options.beta;
  at::Tensor precision = at::eye(q.dim(), change.options()) + change;
  if (options.corrected) precision.addmm_(change, change, /*beta=*/1, /*alpha=*/0.5);
  const auto [root, failed] = at::linalg_cholesky_ex((precision + precision.t()) / 2);
  if (failed.item<int>() != 0) return {{}, {}, white.matching};

  const at::Tensor wanted = (score_mean * mean_step - noise_mean * (1 - mean_step)).unsqueeze(1);
  const at::Tensor shift = noise_mean + at::cholesky_solve(wanted, root).squeeze(1);
  const at::Tensor new_root = at::linalg_solve_triangular(root, q.factor().t(), /*upper=*/false).t();
  return {at::addmv(q.mean(), q.factor(), shift), triangular(new_root), white.matching};
}

StepStats ClosedFormFull::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  return closed_form_step(target, family, options_, info,
                          [&](const variational::FullGaussian& q, const ScoredDraws& draws) {
                            return closed_form_update(q, draws, options_, options_.mean_step * info.lr_factor);
                          });
}

}  // namespace scorevi::inference
