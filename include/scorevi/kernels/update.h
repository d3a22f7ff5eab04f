// Fused updates of a diagonal Gaussian q = N(mean, exp(log_std)^2) from one mini-batch score: noise recomputed,
// gradient formed in registers, optimiser applied, statistics gathered, in one pass over the buffers.
//
// Shared notation (per element): m, rho, sigma = e^rho of q; m_t, rho_t, sigma_t of the frozen copy q_t;
// eps_i the noise of sample i (i < samples); theta_i = m_t + sigma_t eps_i; s_i the likelihood score at theta_i;
// prior N(mu0, sigma0^2), sigma0 = inf for none. With w = the weight of the estimator (below):
//   e1 = w mean_i eps_i            e2 = w mean_i eps_i^2 + 1 - w
//   g  = mean_i s_i - (m_t - mu0 + sigma_t e1)/sigma0^2              mean score of the target
//   ge = mean_i s_i eps_i - ((m_t - mu0) e1 + sigma_t e2)/sigma0^2   mean of score times noise
// w = 1 takes the drawn noise literally, w = 0 the exact expectations E eps = 0, E eps^2 = 1.
#pragma once

#include <cstdint>

#include "scorevi/kernels/exec.h"
#include "scorevi/kernels/noise.h"
#include "scorevi/kernels/optimizer_rule.h"

namespace scorevi::kernels {

// What one pass measured, over the elements it visited. Sums are in double, in a fixed order.
struct UpdateStats {
  double gradient_sq = 0;  // sum of squares of the gradients handed to the optimiser, before clip_value
  double matching = 0;     // sum W_j (s_q - score)^2 of the psm loss; 0 when samples > 1 (see psm_losses)
  double proximal = 0;     // sum W_j (s_q - s_t)^2, without alpha; 0 when samples > 1
  double kl = 0;           // KL(q || prior) before the step; an uninformative element adds minus its entropy
  double log_prior = 0;    // log p(mean) (map only), normalised; uninformative elements add 0
  double sigma_sum = 0;    // after the step
  double log_std_min = 0, log_std_max = 0;  // after the step
  int64_t nonfinite = 0;                    // elements whose mean or log_std is not finite after the step
  int64_t count = 0;                        // elements visited
  void merge(const UpdateStats& later);     // adds the elements of a later range
};

// The parts every update shares. All pointers are at element 0 of full-length buffers.
template <class T>
struct UpdateInput {
  int64_t begin = 0, end = 0;      // elements to visit
  const T* score = nullptr;        // mean_i s_i: the likelihood score, N/temperature included
  const T* score_noise = nullptr;  // mean_i s_i eps_i; may be nullptr when samples == 1 (recomputed)
  NoiseKey key;                    // noise of sample i has key.sample + i
  int samples = 1;
  const T* noise = nullptr;  // given noise in place of the key's: that of sample i at noise + i * noise_stride
  int64_t noise_stride = 0;
  const T* prior_mean = nullptr;  // nullptr = 0
  double prior_std = 0;           // > 0, may be inf
  double gradient_scale = 1;      // gradients are multiplied by it (loss scale times clipping factor)
  bool apply = true;              // false: only measure, write nothing
};

enum class Estimator { kSampled, kAnalytic, kAdaptive };
enum class Norm { kEuclidean, kCovariance };

// Maximum a posteriori: gradient = -(score + prior score at mean).
template <class T>
UpdateStats map_update(const Exec& exec, const UpdateInput<T>& in, const OptimizerRule& rule, OptimizerSlot<T> mean);

// Negative ELBO (reparametrised): d/dm = -g, d/drho = -ge sigma - 1; here q_t = q.
// kl_sampled: w = 1, otherwise the prior enters by its exact expectation, w = 0.
template <class T>
UpdateStats advi_update(const Exec& exec, const UpdateInput<T>& in, bool kl_sampled, const OptimizerRule& rule,
                        OptimizerSlot<T> mean, OptimizerSlot<T> log_std);

// Proximal score matching. delta = m_t - m, W = 1 (euclidean) or sigma_t^2 (covariance):
//   d/dm   = 2 W [ -(1+alpha)(delta + sigma_t e1)/sigma^2 - g + alpha e1/sigma_t ] / sigma^2
//   d/drho = 4 W [ -(1+alpha)(delta^2 + 2 delta sigma_t e1 + sigma_t^2 e2)/sigma^2 - (delta g + sigma_t ge)
//                  + alpha (delta e1 + sigma_t e2)/sigma_t ] / sigma^2
// sampled w = 1, analytic w = 0, adaptive w = clip(sigma_t^2 h, 0, 1), h = moving average of -ge/sigma_t (w = 1) over
// the steps before this one: with its own score in h, w would depend on the noise it weighs and the estimator be
// biased. At the first step w = 0.
template <class T>
struct PsmOptions {
  Estimator estimator = Estimator::kAnalytic;
  Norm norm = Norm::kEuclidean;
  double alpha = 0;
  const T* frozen_mean = nullptr;  // nullptr: q_t = q (first inner step)
  const T* frozen_log_std = nullptr;
  T* curvature = nullptr;          // adaptive: h, updated in place when apply is true
  double curvature_decay = 0.999;  // h = decay h + (1-decay) new
  double curvature_bias = 1;       // 1 - decay^t of the step being made (corrects h for its start at 0)
};
template <class T>
UpdateStats psm_update(const Exec& exec, const UpdateInput<T>& in, const PsmOptions<T>& options,
                       const OptimizerRule& rule, OptimizerSlot<T> mean, OptimizerSlot<T> log_std);

// Exact inner solution with damped steps, Lambda = 1/sigma^2, h = -ge/sigma, w = 0 for the prior (known exactly):
//   x = h/Lambda - 1;  Lambda' = Lambda (1 + beta x [+ beta^2 x^2/2 if corrected]);  rho' = -log(Lambda')/2
//   newton:     m' = m + mean_step a/Lambda', a = the bias-corrected moving average of g
//   optimizer:  the rule moves m along the gradient -g * gradient_scale
// Without the correction Lambda' <= 0 is possible: such an element is counted as non-finite.
template <class T>
struct ClosedFormOptions {
  double beta = 1e-3;
  bool corrected = true;
  bool newton = true;
  double mean_step = 0.1;
  T* average = nullptr;  // moving average of g; nullptr: g itself
  double average_decay = 0.9;
  double average_bias = 1;  // 1 - decay^t of the step being made
};
template <class T>
UpdateStats closed_form_update(const Exec& exec, const UpdateInput<T>& in, const ClosedFormOptions<T>& options,
                               const OptimizerRule& rule, OptimizerSlot<T> mean, OptimizerSlot<T> log_std);

// Plain optimiser step on a given gradient (times scale).
template <class T>
UpdateStats optimizer_update(const Exec& exec, int64_t begin, int64_t end, const T* gradient, double scale,
                             const OptimizerRule& rule, OptimizerSlot<T> param);

// Adds sample i of M to the running means: score_mean += s/M, score_noise_mean += s eps/M (first: overwrites).
template <class T>
void accumulate_score(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, int samples, bool first,
                      const T* score, T* score_mean, T* score_noise_mean);

// The sampled psm losses of one sample (for several samples per step the update alone cannot know them).
template <class T>
UpdateStats psm_losses(const Exec& exec, const UpdateInput<T>& in, const PsmOptions<T>& options, const T* mean,
                       const T* log_std);

// Sum of squares, and how many entries are not finite with the index of the first (-1: none).
struct FiniteCheck {
  double sum_sq = 0;
  int64_t nonfinite = 0;
  int64_t first_nonfinite = -1;
  void merge(const FiniteCheck& later);
};
template <class T>
FiniteCheck check_finite(const Exec& exec, int64_t begin, int64_t end, const T* values);

}  // namespace scorevi::kernels
