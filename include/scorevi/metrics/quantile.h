// Quantiles of a sample.
#pragma once

#include <vector>

namespace scorevi::metrics {

// Of values sorted upwards, share p in [0, 1]: linear between order statistics (type 7 of Hyndman and Fan, The American
// Statistician 50, 1996). Infinite values are values like others. NaN where there are none.
double sorted_quantile(const std::vector<double>& sorted, double p);

}  // namespace scorevi::metrics
