#include "functors/statistics.h"

namespace scorevi::kernels {

void UpdateStats::merge(const UpdateStats& later) { generic::merge_stats(*this, later); }

void FiniteCheck::merge(const FiniteCheck& later) { generic::merge_finite(*this, later); }

}  // namespace scorevi::kernels
