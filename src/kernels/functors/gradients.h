// The gradient of each method at one element, and what it adds to the statistics: the formulas of
// scorevi/kernels/update.h. One functor per method; `Policy` parts are template parameters so that loops over
// elements have no branches.
#pragma once

#include "functors/math.h"
#include "scorevi/core/constants.h"
#include "scorevi/kernels/update.h"

namespace scorevi::kernels::SCOREVI_ISA {

// Values of one element. `noise`, `noise_sq`, `score_noise` are means over the samples.
template <class T>
struct Element {
  T mean, log_std, score, score_noise, noise, noise_sq, prior_mean;
  T frozen_mean, frozen_log_std, memory;  // memory: the curvature or the moving average of g
};

// What a gradient reads and writes beside mean, score and prior_mean.
struct Streams {
  bool log_std, noise, frozen, memory, new_values, losses;
};

template <class T>
struct Gradient {
  T mean = 0, log_std = 0;
  T memory = 0;                            // its new value
  T new_mean = 0, new_log_std = 0;         // closed form only
  T matching_root = 0, proximal_root = 0;  // signed square roots of the loss terms (one sample)
  T kl = 0, log_prior = 0;
};

// N(prior_mean, 1/precision); precision 0 is uninformative.
template <class T>
struct Prior {
  T precision;
  T kl_constant;        // ln sigma0 - 1/2, or minus the entropy of a standard normal
  T log_prob_constant;  // -ln(sigma0 sqrt(2 pi)), or 0
};

template <class T>
SCOREVI_HOST_DEVICE Prior<T> make_prior(double std) {
  constexpr double kHalfLogTwoPi = kLogTwoPi / 2;
  const bool informative = is_finite(std);
  Prior<T> prior;
  prior.precision = informative ? static_cast<T>(1.0 / (std * std)) : T(0);
  prior.kl_constant = static_cast<T>(informative ? ::log(std) - 0.5 : -(kHalfLogTwoPi + 0.5));
  prior.log_prob_constant = static_cast<T>(informative ? -::log(std) - kHalfLogTwoPi : 0.0);
  return prior;
}

// KL(N(mean, sigma^2) || prior) = ln sigma0 - rho + (sigma^2 + (mean-mu0)^2)/(2 sigma0^2) - 1/2
template <class T>
SCOREVI_HOST_DEVICE T kl_of(const Prior<T>& prior, T distance, T log_std, T sigma) {
  return prior.kl_constant - log_std + T(0.5) * prior.precision * (sigma * sigma + distance * distance);
}

template <class T>
struct MapGradient {
  static constexpr Streams kUses = {false, false, false, false, false, false};
  Prior<T> prior;
  SCOREVI_HOST_DEVICE Gradient<T> operator()(const Element<T>& x) const {
    const T distance = x.mean - x.prior_mean;
    Gradient<T> out;
    out.mean = prior.precision * distance - x.score;
    out.log_prior = prior.log_prob_constant - T(0.5) * prior.precision * distance * distance;
    return out;
  }
};

template <class T, bool kSampled>
struct AdviGradient {
  static constexpr Streams kUses = {true, true, false, false, false, false};
  Prior<T> prior;
  SCOREVI_HOST_DEVICE Gradient<T> operator()(const Element<T>& x) const {
    const T sigma = exponential(x.log_std);
    const T distance = x.mean - x.prior_mean;
    const T e1 = kSampled ? x.noise : T(0);
    const T e2 = kSampled ? x.noise_sq : T(1);
    const T score = x.score - prior.precision * (distance + sigma * e1);
    const T score_noise = x.score_noise - prior.precision * (distance * e1 + sigma * e2);
    Gradient<T> out;
    out.mean = -score;
    out.log_std = -(sigma * score_noise) - T(1);
    out.kl = kl_of(prior, distance, x.log_std, sigma);
    return out;
  }
};

template <class T>
struct PsmConstants {
  Prior<T> prior;
  T alpha;
  T decay, one_minus_decay;
  T curvature_scale;  // 1 / bias of the moving average before this step; 0 when it is empty
};

template <class T, Estimator kEstimator, Norm kNorm, bool kFrozen>
struct PsmGradient {
  static constexpr Streams kUses = {true, true, kFrozen, kEstimator == Estimator::kAdaptive, false, true};
  PsmConstants<T> c;

  SCOREVI_HOST_DEVICE Gradient<T> operator()(const Element<T>& x) const {
    const T sigma = exponential(x.log_std);
    const T inverse = T(1) / sigma;
    const T precision = inverse * inverse;
    const T frozen_sigma = kFrozen ? exponential(x.frozen_log_std) : sigma;
    const T frozen_inverse = kFrozen ? T(1) / frozen_sigma : inverse;
    const T frozen_mean = kFrozen ? x.frozen_mean : x.mean;
    const T distance = frozen_mean - x.prior_mean;
    Gradient<T> out;

    // The weight of the drawn noise against its exact moments.
    T e1 = 0, e2 = 1;
    if constexpr (kEstimator == Estimator::kSampled) {
      e1 = x.noise;
      e2 = x.noise_sq;
    }
    if constexpr (kEstimator == Estimator::kAdaptive) {
      const T share = clamp(frozen_sigma * frozen_sigma * x.memory * c.curvature_scale, T(0), T(1));
      e1 = share * x.noise;
      e2 = share * x.noise_sq + (T(1) - share);
      const T drawn = x.score_noise - c.prior.precision * (distance * x.noise + frozen_sigma * x.noise_sq);
      out.memory = c.decay * x.memory - c.one_minus_decay * drawn * frozen_inverse;
    }

    const T score = x.score - c.prior.precision * (distance + frozen_sigma * e1);
    const T score_noise = x.score_noise - c.prior.precision * (distance * e1 + frozen_sigma * e2);
    // weight = W/sigma^2; exactly 1 for the covariance norm at q = q_t, where 1/sigma^2 may overflow.
    const T ratio = kFrozen ? frozen_sigma * inverse : T(1);
    const T weight = kNorm == Norm::kCovariance ? ratio * ratio : precision;
    const T root = kNorm == Norm::kCovariance ? frozen_sigma : T(1);
    const T drawn_score = x.score - c.prior.precision * (distance + frozen_sigma * x.noise);
    if constexpr (kFrozen) {
      const T delta = x.frozen_mean - x.mean;
      const T outer = T(1) + c.alpha;
      out.mean =
          T(2) * weight * (c.alpha * e1 * frozen_inverse - outer * (delta + frozen_sigma * e1) * precision - score);
      out.log_std =
          T(4) * weight *
          (c.alpha * (delta * e1 + frozen_sigma * e2) * frozen_inverse -
           outer * (delta * delta + T(2) * delta * frozen_sigma * e1 + frozen_sigma * frozen_sigma * e2) * precision -
           (delta * score + frozen_sigma * score_noise));
      const T family_score = -(delta + frozen_sigma * x.noise) * precision;
      out.matching_root = root * (family_score - drawn_score);
      out.proximal_root = root * (family_score + x.noise * frozen_inverse);
    } else {
      // q = q_t: the proximal parts cancel exactly.
      out.mean = T(2) * weight * (-(e1 * inverse) - score);
      out.log_std = T(4) * weight * (-e2 - sigma * score_noise);
      out.matching_root = root * (-(x.noise * inverse) - drawn_score);
    }
    out.kl = kl_of(c.prior, x.mean - x.prior_mean, x.log_std, sigma);
    return out;
  }
};

template <class T>
struct ClosedFormConstants {
  Prior<T> prior;
  T beta, half_beta_sq;  // half_beta_sq = 0: without the positivity correction
  T mean_step;
  T decay, one_minus_decay;  // decay 0 where there is no moving average
  T average_scale;           // 1 / bias
};

// factor = Lambda'/Lambda; everything follows from it without forming Lambda.
template <class T>
struct ClosedFormGradient {
  static constexpr Streams kUses = {true, true, false, true, true, false};
  ClosedFormConstants<T> c;
  SCOREVI_HOST_DEVICE Gradient<T> operator()(const Element<T>& x) const {
    const T sigma = exponential(x.log_std);
    const T distance = x.mean - x.prior_mean;
    const T score = x.score - c.prior.precision * distance;
    const T score_noise = x.score_noise - c.prior.precision * sigma;
    const T excess = -(score_noise * sigma) - T(1);
    const T factor = T(1) + excess * (c.beta + c.half_beta_sq * excess);
    Gradient<T> out;
    out.mean = -score;
    out.memory = c.decay * x.memory + c.one_minus_decay * score;
    out.new_log_std = x.log_std - T(0.5) * logarithm(factor);
    out.new_mean = x.mean + c.mean_step * (out.memory * c.average_scale) * (sigma * sigma / factor);
    out.kl = kl_of(c.prior, distance, x.log_std, sigma);
    return out;
  }
};

}  // namespace scorevi::kernels::SCOREVI_ISA
