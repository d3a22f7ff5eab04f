// The spread of the standard deviations of q.
#pragma once

#include <vector>

#include "scorevi/params/flat_layout.h"
#include "scorevi/run/evaluation.h"
#include "scorevi/variational/family.h"

namespace scorevi::run {

// Minimum and maximum are exact; quantiles of more than a million weights are taken from an evenly spaced million.
// All NaN for a family without standard deviations. Points of q have none.
struct SigmaQuantiles {
  double min, p05, p50, p95, max;
};
SigmaQuantiles sigma_quantiles(const variational::Family& family);

// One line per parameter tensor that is no point; `starts` holds what each began with, moved = |sigma/start - 1| > 1 %.
// Empty without standard deviations.
std::vector<EvaluationReport::Sigma> sigma_by_parameter(const variational::Family& family,
                                                        const params::FlatLayout& layout,
                                                        const std::vector<double>& starts);

}  // namespace scorevi::run
