#include "scorevi/metrics/contour_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "plot_frame.h"
#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

// Sides of a cell, counted from its lower left corner.
enum Side : std::size_t { kBottom, kRight, kTop, kLeft };

class Tracer {
 public:
  Tracer(const Grid& grid, const std::vector<double>& values, double level)
      : grid_(grid), values_(values), level_(level) {}

  std::vector<std::vector<Point>> lines() {
    for (std::size_t r = 0; r + 1 < grid_.rows; ++r)
      for (std::size_t c = 0; c + 1 < grid_.columns; ++c) cross_cell(r, c);
    std::vector<std::vector<Point>> lines;
    while (!neighbours_.empty()) {
      std::vector<Point> line;
      for (const std::size_t edge : take_chain()) line.push_back(points_.at(edge));
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  double value(std::size_t row, std::size_t column) const { return values_[row * grid_.columns + column]; }

  // The number of a side: neighbouring cells share theirs.
  std::size_t edge_of(std::size_t row, std::size_t column, Side side) const {
    if (side == kTop) return edge_of(row + 1, column, kBottom);
    if (side == kRight) return edge_of(row, column + 1, kLeft);
    return 2 * (row * grid_.columns + column) + (side == kLeft ? 1 : 0);
  }

  void remember_point(std::size_t edge, std::size_t row, std::size_t column, Side side) {
    const std::size_t r0 = row + (side == kTop ? 1 : 0), c0 = column + (side == kRight ? 1 : 0);
    const bool horizontal = side == kBottom || side == kTop;
    const std::size_t r1 = r0 + (horizontal ? 0 : 1), c1 = c0 + (horizontal ? 1 : 0);
    const double share = (level_ - value(r0, c0)) / (value(r1, c1) - value(r0, c0));
    points_[edge] = {grid_.x(c0) + share * (grid_.x(c1) - grid_.x(c0)),
                     grid_.y(r0) + share * (grid_.y(r1) - grid_.y(r0))};
  }

  void join(std::size_t row, std::size_t column, Side a, Side b) {
    const std::size_t from = edge_of(row, column, a), to = edge_of(row, column, b);
    remember_point(from, row, column, a);
    remember_point(to, row, column, b);
    neighbours_[from].push_back(to);
    neighbours_[to].push_back(from);
  }

  void cross_cell(std::size_t row, std::size_t column) {
    const std::array<double, 4> corners = {value(row, column), value(row, column + 1), value(row + 1, column + 1),
                                           value(row + 1, column)};
    if (!std::all_of(corners.begin(), corners.end(), [](double v) { return std::isfinite(v); })) return;
    std::vector<Side> crossed;  // side i lies between corners i and i + 1
    for (std::size_t i = 0; i < 4; ++i)
      if ((corners[i] > level_) != (corners[(i + 1) % 4] > level_)) crossed.push_back(static_cast<Side>(i));
    if (crossed.size() == 2) join(row, column, crossed[0], crossed[1]);
    if (crossed.size() < 4) return;
    const double middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4;
    const bool around_first = (middle > level_) != (corners[0] > level_);  // each line cuts off a corner like corner 0
    join(row, column, kBottom, around_first ? kLeft : kRight);
    join(row, column, kTop, around_first ? kRight : kLeft);
  }

  // Removes the connection between two edges.
  void cut(std::size_t from, std::size_t to) {
    for (const auto& [a, b] : {std::pair{from, to}, std::pair{to, from}}) {
      std::vector<std::size_t>& list = neighbours_.at(a);
      list.erase(std::find(list.begin(), list.end(), b));
      if (list.empty()) neighbours_.erase(a);
    }
  }

  std::deque<std::size_t> take_chain() {
    std::deque<std::size_t> chain = {neighbours_.begin()->first};
    for (auto next = neighbours_.find(chain.back()); next != neighbours_.end(); next = neighbours_.find(chain.back())) {
      const std::size_t to = next->second.front();
      cut(chain.back(), to);
      chain.push_back(to);
    }
    for (auto next = neighbours_.find(chain.front()); next != neighbours_.end();
         next = neighbours_.find(chain.front())) {
      const std::size_t to = next->second.front();
      cut(chain.front(), to);
      chain.push_front(to);
    }
    return chain;
  }

  const Grid& grid_;
  const std::vector<double>& values_;
  double level_;
  std::map<std::size_t, Point> points_;                         // by edge
  std::map<std::size_t, std::vector<std::size_t>> neighbours_;  // by edge, at most two each
};

}  // namespace

double Grid::x(std::size_t column) const {
  return x_low + (x_high - x_low) * static_cast<double>(column) / static_cast<double>(columns - 1);
}

double Grid::y(std::size_t row) const {
  return y_low + (y_high - y_low) * static_cast<double>(row) / static_cast<double>(rows - 1);
}

std::vector<std::vector<Point>> contour_lines(const Grid& grid, const std::vector<double>& values, double level) {
  SCOREVI_CHECK(grid.rows >= 2 && grid.columns >= 2);
  SCOREVI_CHECK_OP(values.size(), ==, grid.rows * grid.columns);
  return Tracer(grid, values, level).lines();
}

std::string contour_plot(const Grid& grid, const std::vector<ContourLayer>& layers, const PlotOptions& options) {
  SvgCanvas canvas(options.width, options.height, options.title);
  AxisOptions x_options = options.x, y_options = options.y;
  x_options.low = grid.x_low, x_options.high = grid.x_high;
  y_options.low = grid.y_low, y_options.high = grid.y_high;
  Axis x(x_options, DataRange(), static_cast<int>(options.width / 90.0));
  Axis y(y_options, DataRange(), static_cast<int>(options.height / 60.0));
  std::vector<LegendItem> legend;
  using Mark = LegendItem::Mark;
  for (const ContourLayer& layer : layers)
    if (!layer.name.empty()) legend.push_back({layer.name, layer.color, layer.dashed ? Mark::kDashes : Mark::kLine});
  const PlotArea area = draw_axes(&canvas, options, legend, &x, &y);
  canvas.begin_clip({area.left, area.top}, area.width(), area.height());
  for (const ContourLayer& layer : layers)
    for (const double level : layer.levels)
      for (std::vector<Point>& line : contour_lines(grid, layer.values, level)) {
        for (Point& p : line) p = {x.pixel(p.x), y.pixel(p.y)};
        canvas.polyline(line, {layer.color, 1.5, layer.dashed ? "6 4" : ""});
      }
  canvas.end_clip();
  return canvas.str();
}

}  // namespace scorevi::metrics
