// Lines over two axes: training curves, error against the number of data, σ over time.
#pragma once

#include <string>
#include <vector>

#include "scorevi/metrics/axis.h"

namespace scorevi::metrics {

struct Series {
  std::string name;               // in the legend; empty: not in it
  std::vector<double> x, y;       // equal lengths
  std::vector<double> low, high;  // limits around y; empty: none
  bool error_bars = false;        // limits as bars instead of a band
  bool dashed = false;
  bool dots = false;       // dots without a line between them
  std::string color = {};  // empty: the next of the palette
};

struct PlotOptions {
  std::string title;
  AxisOptions x, y;
  double width = 640.0;  // px
  double height = 380.0;
};

// One SVG element. Non-finite values (and values <= 0 on a log axis) leave gaps; a point alone
// between gaps, and every point of a short series, is drawn as a dot. Without any point the axes
// stand alone with the words "no data".
std::string line_plot(const std::vector<Series>& series, const PlotOptions& options);

}  // namespace scorevi::metrics
