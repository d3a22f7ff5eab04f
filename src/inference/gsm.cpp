#include "scorevi/inference/gsm.h"

#include <cmath>

#include <ATen/ATen.h>

#include "full_frame.h"

namespace scorevi::inference {

Gsm::Gsm(const GaussianOptions& options) : options_(options) { validate(options_, "method"); }

FullUpdate gsm_update(const variational::FullGaussian& q, const ScoredDraws& draws) {
  const White white = whiten(q, draws);
  const at::Tensor& noise = white.noise;
  const at::Tensor along = (noise * white.score).sum(/*dim=*/1, /*keepdim=*/true);
  const at::Tensor square = white.score.square().sum(/*dim=*/1, /*keepdim=*/true) + along.square();
  if (!std::isfinite(square.max().item<double>())) return {{}, {}, white.matching};  // w would be 0
  const at::Tensor w = (white.score + noise * along) * 2 / (1 + (1 + square * 4).sqrt());

  const double share = 1 / static_cast<double>(noise.size(0));
  at::Tensor covariance = at::eye(q.dim(), noise.options());
  covariance.addmm_(noise.t(), noise, /*beta=*/1, /*alpha=*/share).addmm_(w.t(), w, /*beta=*/1, /*alpha=*/-share);
  const auto [root, failed] = at::linalg_cholesky_ex(covariance);
  if (failed.item<int>() != 0) return {{}, {}, white.matching};
  return {at::addmv(q.mean(), q.factor(), (noise + w).mean(/*dim=*/0)), q.factor().matmul(root), white.matching};
}

StepStats Gsm::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  return closed_form_step(target, family, options_, info, gsm_update);
}

}  // namespace scorevi::inference
