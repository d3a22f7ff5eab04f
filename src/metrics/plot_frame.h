// What every plot with two axes shares: title, legend, axes, grid.
#pragma once

#include <string>
#include <vector>

#include "scorevi/metrics/axis.h"
#include "scorevi/metrics/line_plot.h"
#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {

struct LegendItem {
  enum class Mark { kLine, kDashes, kBox };
  std::string name;
  std::string color;
  Mark mark = Mark::kLine;
  double opacity = 1.0;
};

inline constexpr double kTickSize = 11.0;
inline constexpr double kLabelSize = 12.0;
inline constexpr double kTitleSize = 14.0;
inline constexpr double kTitleWidthSize = 1.12 * kTitleSize;  // bold letters are wider
inline constexpr char kGridColor[] = "#e4e4e4";
inline constexpr char kAxisColor[] = "#555555";

// The inner area of a plot in pixels.
struct PlotArea {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// Writes the title and the legend above `left..right` and returns the y below them.
double draw_title(SvgCanvas* canvas, double left, double right, std::string_view title);
double draw_legend(SvgCanvas* canvas, double left, double right, double top, const std::vector<LegendItem>& items);

// Tick marks, grid lines, labels below and left of the area; axes must be placed.
void draw_x_axis(SvgCanvas* canvas, const PlotArea& area, const Axis& axis, bool grid = true);
void draw_y_axis(SvgCanvas* canvas, const PlotArea& area, const Axis& axis);
void draw_frame(SvgCanvas* canvas, const PlotArea& area);

// Room left of the area for the y axis.
double y_axis_width(const Axis& axis);
// Room below it for the x axis.
double x_axis_height(const Axis& axis);

// Title, legend, both axes and the frame of a plot: places the axes and returns the area between them.
PlotArea draw_axes(SvgCanvas* canvas, const PlotOptions& options, const std::vector<LegendItem>& legend, Axis* x,
                   Axis* y);

}  // namespace scorevi::metrics
