#include "scorevi/metrics/quantile.h"

#include <cstddef>
#include <limits>

namespace scorevi::metrics {

double sorted_quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double rest = position - static_cast<double>(below);
  if (rest == 0 || sorted[below] == sorted[below + 1]) return sorted[below];  // no difference of infinities
  return (1 - rest) * sorted[below] + rest * sorted[below + 1];
}

}  // namespace scorevi::metrics
