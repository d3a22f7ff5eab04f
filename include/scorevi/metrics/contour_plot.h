// Lines of equal density over a plane: a target and what approximates it.
#pragma once

#include <string>
#include <vector>

#include "scorevi/metrics/line_plot.h"
#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {

// Points of a plane in equal steps, both limits among them.
struct Grid {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  std::size_t columns = 2, rows = 2;  // at least 2
  double x(std::size_t column) const;
  double y(std::size_t row) const;
};

struct ContourLayer {
  std::string name;            // in the legend; empty: not in it
  std::vector<double> values;  // [rows * columns], row-major from y_low upwards; not finite: no line near it
  std::vector<double> levels;
  std::string color;
  bool dashed = false;
};

// The lines on which bilinear interpolation has the value `level`, each from end to end; closed lines end where they
// begin. Marching squares; a saddle is decided by the mean of its four corners.
std::vector<std::vector<Point>> contour_lines(const Grid& grid, const std::vector<double>& values, double level);

// One SVG element; the axes have the limits of the grid.
std::string contour_plot(const Grid& grid, const std::vector<ContourLayer>& layers, const PlotOptions& options);

}  // namespace scorevi::metrics
