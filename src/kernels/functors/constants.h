// From the arguments of a call to what its functors hold.
#pragma once

#include "functors/gradients.h"

namespace scorevi::kernels::SCOREVI_ISA {

template <class T>
SCOREVI_HOST_DEVICE PsmConstants<T> make_psm(const PsmOptions<T>& options, double prior_std) {
  // The weight of a step comes from the steps before it: with its own score in the average it would depend on the
  // noise that it weighs, and the estimator would be biased.
  const double decay = options.curvature_decay;
  const double bias = decay > 0 ? 1.0 - (1.0 - options.curvature_bias) / decay : 1.0;
  PsmConstants<T> c;
  c.prior = make_prior<T>(prior_std);
  c.alpha = static_cast<T>(options.alpha);
  c.decay = static_cast<T>(decay);
  c.one_minus_decay = static_cast<T>(1.0 - decay);
  c.curvature_scale = bias > 1e-9 ? static_cast<T>(1.0 / bias) : T(0);
  return c;
}

template <class T>
SCOREVI_HOST_DEVICE ClosedFormConstants<T> make_closed_form(const ClosedFormOptions<T>& options, double prior_std) {
  const bool averaged = options.average != nullptr;
  ClosedFormConstants<T> c;
  c.prior = make_prior<T>(prior_std);
  c.beta = static_cast<T>(options.beta);
  c.half_beta_sq = options.corrected ? static_cast<T>(0.5 * options.beta * options.beta) : T(0);
  c.mean_step = static_cast<T>(options.mean_step);
  c.decay = averaged ? static_cast<T>(options.average_decay) : T(0);
  c.one_minus_decay = averaged ? static_cast<T>(1.0 - options.average_decay) : T(1);
  c.average_scale = averaged ? static_cast<T>(1.0 / options.average_bias) : T(1);
  return c;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
