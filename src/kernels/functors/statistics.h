// How statistics of consecutive ranges are joined.
#pragma once

#include "functors/isa.h"
#include "scorevi/kernels/update.h"

namespace scorevi::kernels::SCOREVI_ISA {

// What is measured after the step.
SCOREVI_HOST_DEVICE void merge_family(UpdateStats& all, const UpdateStats& later) {
  if (later.count == 0) return;
  const bool empty = all.count == 0;
  all.sigma_sum += later.sigma_sum;
  all.log_std_min = empty || later.log_std_min < all.log_std_min ? later.log_std_min : all.log_std_min;
  all.log_std_max = empty || later.log_std_max > all.log_std_max ? later.log_std_max : all.log_std_max;
  all.nonfinite += later.nonfinite;
  all.count += later.count;
}

SCOREVI_HOST_DEVICE void merge_stats(UpdateStats& all, const UpdateStats& later) {
  all.gradient_sq += later.gradient_sq;
  all.matching += later.matching;
  all.proximal += later.proximal;
  all.kl += later.kl;
  all.log_prior += later.log_prior;
  merge_family(all, later);
}

SCOREVI_HOST_DEVICE void merge_finite(FiniteCheck& all, const FiniteCheck& later) {
  all.sum_sq += later.sum_sq;
  all.nonfinite += later.nonfinite;
  const bool earlier = all.first_nonfinite < 0 || later.first_nonfinite < all.first_nonfinite;
  if (later.first_nonfinite >= 0 && earlier) all.first_nonfinite = later.first_nonfinite;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
