// What the engines share that move a diagonal Gaussian by LibTorch's own operations, in place on their own buffers.
#pragma once

#include <ATen/core/Tensor.h>

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/variational/diagonal_gaussian.h"

namespace scorevi::inference {

// out[j] = eps_j of sample `sample` of the step.
void fill_noise(const StepInfo& info, int64_t sample, const at::Tensor& out);

// out += factor times the prior's score at theta.
void add_prior_score(const GaussianPrior* prior, const at::Tensor& theta, double factor, const at::Tensor& out);

// out += factor times the prior's Hessian times v, [times weight].
void add_prior_curvature(const GaussianPrior* prior, const at::Tensor& v, const at::Tensor& weight, double factor,
                         const at::Tensor& out);

// KL(q || prior) in nats, an uninformative element adding minus its entropy. `scratch` [D] is overwritten.
double gaussian_kl(const variational::DiagonalGaussian& q, const GaussianPrior* prior, const at::Tensor& scratch);

// Sigma and the non-finite count after the step; kDiverged with the first element concerned where the family left the
// limits. `scratch` [D] is overwritten.
void measure_gaussian(const variational::DiagonalGaussian& q, const GaussianOptions& limits, const at::Tensor& scratch,
                      StepStats& stats);

}  // namespace scorevi::inference
