// Bars, intervals and matrices. Each function returns one SVG element. Values that are not finite
// leave gaps.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "scorevi/metrics/axis.h"
#include "scorevi/metrics/interval.h"

namespace scorevi::metrics {

// One bar per category of each group; error bars where the limits are finite.
struct BarGroup {
  std::string name;
  std::vector<Interval> bars;  // one per category
};

struct BarChartOptions {
  std::string title;
  std::vector<std::string> categories;
  AxisOptions y = {};  // always contains 0 on a linear axis
  double width = 640.0;
  double height = 360.0;
};

std::string bar_chart(const std::vector<BarGroup>& groups, const BarChartOptions& options);

// One row per method: a point with its interval, and the numbers beside it.
struct IntervalRow {
  std::string label;
  Interval interval;
};

struct IntervalPlotOptions {
  std::string title;
  AxisOptions x = {};
  double reference = std::numeric_limits<double>::quiet_NaN();  // a vertical line, 0 for differences
  int decimals = 3;                                             // of the numbers beside the rows
  double width = 640.0;
};

std::string interval_plot(const std::vector<IntervalRow>& rows, const IntervalPlotOptions& options);

// A matrix of values in shades of one colour. Colour runs from low (white) to high.
struct HeatMap {
  int rows = 0, columns = 0;
  std::vector<double> values;                          // [rows * columns]
  std::vector<std::string> cell_text;                  // empty, or one per cell; shown where cells are large enough
  std::vector<std::string> row_labels, column_labels;  // thinned out when there are too many
  std::string title, row_title, column_title;
  double low = 0.0, high = 1.0;
  std::string scale_label;  // beside the colour bar
};

std::string heat_map(const HeatMap& map, double width = 560.0);

// Confusion matrix: rows are true classes, colours the share of the row, numbers the counts
// [classes * classes].
std::string confusion_plot(const std::vector<std::int64_t>& counts, const std::vector<std::string>& class_names,
                           const std::string& title, double width = 560.0);

}  // namespace scorevi::metrics
