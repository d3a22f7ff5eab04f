// The reliability diagram: accuracy against confidence per bin, and how many samples each bin
// holds.
#pragma once

#include <string>

#include "scorevi/metrics/calibration.h"

namespace scorevi::metrics {

struct ReliabilityOptions {
  std::string title = "Reliability";
  std::string binning = "equal width";  // named in the caption
  double width = 420.0;                 // px
};

// Bars of accuracy with the gap to the mean confidence shaded, the diagonal, a histogram below, and
// a caption: "ECE 0.034 (15 bins, equal width), MCE 0.21, n = 101, over-confident by 3.1 points".
// `table` must come from the equal-width rule. One SVG element.
std::string reliability_plot(const BinTable& table, const ReliabilityOptions& options = {});

// "over-confident by 3.1 points", "under-confident by 0.4 points", "neither over- nor
// under-confident" below 0.05 points; gap = mean confidence - accuracy as a fraction. "unknown" for
// NaN.
std::string describe_gap(double gap);

}  // namespace scorevi::metrics
