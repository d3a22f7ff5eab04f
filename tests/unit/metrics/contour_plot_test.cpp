#include "scorevi/metrics/contour_plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "markup.h"

namespace scorevi::metrics {
namespace {

template <class F>
std::vector<double> values_on(const Grid& grid, F&& f) {
  std::vector<double> values;
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < grid.columns; ++c) values.push_back(f(grid.x(c), grid.y(r)));
  return values;
}

const Grid kSquare = {-2, 2, -1, 3, 81, 61};

TEST(ContourLines, ACircleIsOneClosedLine) {
  const auto lines =
      contour_lines(kSquare, values_on(kSquare, [](double x, double y) { return std::hypot(x, y - 1); }), 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  EXPECT_GT(lines[0].size(), 100U);
  double length = 0;
  for (std::size_t i = 0; i < lines[0].size(); ++i) {
    EXPECT_NEAR(std::hypot(lines[0][i].x, lines[0][i].y - 1), 1, 2e-3);
    if (i > 0) length += std::hypot(lines[0][i].x - lines[0][i - 1].x, lines[0][i].y - lines[0][i - 1].y);
  }
  EXPECT_NEAR(length, 2 * M_PI, 0.02);
}

TEST(ContourLines, OpenLinesRunFromBorderToBorder) {
  const auto lines = contour_lines(kSquare, values_on(kSquare, [](double x, double y) { return x + 0 * y; }), 0.52);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].size(), kSquare.rows);
  EXPECT_NEAR(std::abs(lines[0].front().y - lines[0].back().y), 4, 1e-12);
  for (const Point& p : lines[0]) EXPECT_NEAR(p.x, 0.52, 1e-12);
}

TEST(ContourLines, ASaddleGoesByItsMiddle) {
  const Grid cell = {0, 1, 0, 1, 2, 2};
  // High at lower left and upper right; the mean of the corners decides whether they are joined.
  const auto joined = contour_lines(cell, {1, 0, 0, 1}, 0.4);
  const auto apart = contour_lines(cell, {1, 0, 0, 1}, 0.6);
  ASSERT_EQ(joined.size(), 2U);
  ASSERT_EQ(apart.size(), 2U);
  const auto cuts_lower_left = [](const std::vector<Point>& line) {
    return (line[0].y == 0 && line[1].x == 0) || (line[0].x == 0 && line[1].y == 0);
  };
  EXPECT_FALSE(cuts_lower_left(joined[0]) || cuts_lower_left(joined[1]));
  EXPECT_TRUE(cuts_lower_left(apart[0]) || cuts_lower_left(apart[1]));
}

TEST(ContourLines, ValuesThatAreNotFiniteLeaveGaps) {
  const auto values = values_on(kSquare, [](double x, double y) { return x > 0 ? NAN : std::hypot(x, y - 1); });
  const auto lines = contour_lines(kSquare, values, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NEAR(std::abs(lines[0].front().y - lines[0].back().y), 2, 1e-2);
  EXPECT_TRUE(contour_lines(kSquare, values, 50).empty());
}

TEST(ContourPlot, IsWellFormed) {
  PlotOptions options;
  options.title = "target & q";
  ContourLayer layer;
  layer.name = "q <1>";
  layer.color = series_color(0);
  layer.values = values_on(kSquare, [](double x, double y) { return -x * x - y * y; });
  layer.levels = {-1, -0.5};
  const std::string svg = contour_plot(kSquare, {layer}, options);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find("<polyline"), std::string::npos);
  EXPECT_EQ(xml_fault(contour_plot(kSquare, {}, options)), "");
}

}  // namespace
}  // namespace scorevi::metrics
