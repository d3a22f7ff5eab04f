// The groups of a prior that say something.
#pragma once

#include <cmath>

#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

// Calls visit(begin, end, std) for every group of finite std; never without a prior.
template <class Visit>
void for_informative(const GaussianPrior* prior, Visit&& visit) {
  if (!prior) return;
  for (const GaussianPrior::Group& group : prior->groups)
    if (std::isfinite(group.std)) visit(group.begin, group.end, group.std);
}

}  // namespace scorevi::inference
