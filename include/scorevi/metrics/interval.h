// A number with its limits.
#pragma once

#include <limits>

namespace scorevi::metrics {

struct Interval {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace scorevi::metrics
