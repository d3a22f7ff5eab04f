// The closed-form updates of a full Gaussian q = N(m, L L^T), as functions of what was drawn: what gsm, bam and the
// closed form of psm do in one step. The equations are in gsm.h, bam.h and psm_full.h.
#pragma once

#include "scorevi/inference/closed_form.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::inference {

// B draws m + L noise_b with the scores of the whole target there; both [B, D].
struct ScoredDraws {
  at::Tensor noise, score;
};

struct FullUpdate {
  at::Tensor mean, factor;  // undefined where no positive definite covariance came out
  double matching = 0;      // mean |grad log q - score|^2 over the draws, in the norm of Sigma
};

FullUpdate gsm_update(const variational::FullGaussian& q, const ScoredDraws& draws);
FullUpdate bam_update(const variational::FullGaussian& q, const ScoredDraws& draws, double lambda, double jitter);
// beta and corrected of the options; mean_step apart, since it follows the schedule.
FullUpdate closed_form_update(const variational::FullGaussian& q, const ScoredDraws& draws,
                              const ClosedFormOptions& options, double mean_step);

}  // namespace scorevi::inference
