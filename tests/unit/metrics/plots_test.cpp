#include <gtest/gtest.h>

#include <cmath>

#include "markup.h"
#include "scorevi/metrics/charts.h"
#include "scorevi/metrics/line_plot.h"
#include "scorevi/metrics/reliability_plot.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Series series(std::vector<double> x, std::vector<double> y) {
  Series s;
  s.name = "a <b> & c";
  s.x = std::move(x);
  s.y = std::move(y);
  return s;
}

std::string plot(const std::vector<Series>& all, bool log_y = false) {
  PlotOptions options;
  options.title = "Loss & <more>";
  options.x.label = "epoch";
  options.y.label = "nats";
  options.y.log = log_y;
  return line_plot(all, options);
}

TEST(LinePlot, WellFormedForEveryShapeOfData) {
  const std::vector<std::vector<double>> ys = {{},
                                               {7},
                                               {kNaN},
                                               {0.5, 0.5, 0.5},
                                               {0, 0},
                                               {1e300, -3e300, 2e300},
                                               {1e-12, 3e-12},
                                               {1, INFINITY, 2, -INFINITY},
                                               {5e-324, 1e-320},
                                               {-1, -2},
                                               {1e-300, 1e300}};
  for (const std::vector<double>& y : ys) {
    std::vector<double> x;
    for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i));
    for (bool log_y : {false, true}) {
      const std::string svg = plot({series(x, y)}, log_y);
      EXPECT_EQ(xml_fault(svg), "");
      EXPECT_EQ(svg.find("nan"), svg.npos);
      EXPECT_EQ(svg.find("inf"), svg.npos);
    }
  }
}

TEST(LinePlot, NonFiniteValuesLeaveGaps) {
  const std::string whole = plot({series({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5})});
  const std::string gap = plot({series({1, 2, 3, 4, 5}, {1, 2, kNaN, 4, 5})});
  EXPECT_EQ(count(whole, "<polyline"), 1u);
  EXPECT_EQ(count(whole, "<circle"), 5u);
  EXPECT_EQ(count(gap, "<polyline"), 2u);
  EXPECT_EQ(count(gap, "<circle"), 4u);
  const std::string log = plot({series({1, 2, 3, 4, 5}, {1, 2, 0, -4, 5})}, true);
  EXPECT_EQ(count(log, "<polyline"), 1u);
  EXPECT_EQ(count(log, "<circle"), 3u);  // 5 stands alone
}

TEST(LinePlot, OnePointIsADotAndNoneSaysSo) {
  const std::string one = plot({series({3}, {7})});
  EXPECT_EQ(count(one, "<polyline"), 0u);
  EXPECT_EQ(count(one, "<circle"), 1u);
  EXPECT_EQ(count(one, "no data"), 0u);
  EXPECT_EQ(count(plot({series({}, {})}), "no data"), 1u);
  EXPECT_EQ(count(plot({}), "no data"), 1u);
}

TEST(LinePlot, BandsErrorBarsAndLegend) {
  Series band = series({1, 2, 3}, {1, 2, 3});
  band.low = {0.5, kNaN, 2};
  band.high = {1.5, 2.5, 4};
  EXPECT_EQ(count(plot({band}), "<polygon"), 2u);
  band.error_bars = true;
  EXPECT_EQ(count(plot({band}), "<polygon"), 0u);
  EXPECT_EQ(count(plot({band}), "a &lt;b&gt; &amp; c"), 1u);
}

// 10^5 points become a few per pixel column, extremes kept.
TEST(LinePlot, DotsHaveNoLineBetweenThem) {
  std::vector<double> x;
  for (int i = 0; i < 100; ++i) x.push_back(i);
  Series dots = series(x, x);
  dots.dots = true;
  const std::string svg = plot({dots});
  EXPECT_EQ(count(svg, "<polyline"), 0u);
  EXPECT_EQ(count(svg, "<circle"), 100u);
}

TEST(LinePlot, LongSeriesAreThinned) {
  Series s = series({}, {});
  for (int i = 0; i < 100000; ++i) {
    s.x.push_back(i);
    s.y.push_back(i == 54321 ? 100.0 : std::sin(i * 0.01));
  }
  const std::string svg = plot({s});
  EXPECT_LT(svg.size(), 60000u);
  s.y[54321] = 0.0;
  EXPECT_NE(svg, plot({s}));
}

TEST(Reliability, CaptionAndBars) {
  BinTable table(15);
  for (int i = 0; i < 100; ++i) table.add(12, 0.85, i < 80);
  table.add(14, 1.0, 1.0);
  const std::string svg = reliability_plot(table);
  EXPECT_EQ(xml_fault(svg), "");
  // ECE = 100/101 * 0.05; mean confidence - accuracy = (85 + 1)/101 - 81/101
  EXPECT_NE(svg.find("ECE 0.0495 (15 bins, equal width), MCE 0.050"), svg.npos);
  EXPECT_NE(svg.find("over-confident by 5.0 points"), svg.npos);
  EXPECT_NE(svg.find("101"), svg.npos);
  EXPECT_EQ(xml_fault(reliability_plot(BinTable(10))), "");
  EXPECT_NE(reliability_plot(BinTable(10)).find("no samples"), std::string::npos);
}

TEST(Reliability, GapInWords) {
  EXPECT_EQ(describe_gap(0.031), "over-confident by 3.1 points");
  EXPECT_EQ(describe_gap(-0.004), "under-confident by 0.4 points");
  EXPECT_EQ(describe_gap(0.0004), "neither over- nor under-confident");
  EXPECT_EQ(describe_gap(kNaN), "unknown");
}

TEST(BarChart, SkipsMissingBars) {
  BarChartOptions options;
  options.title = "ECE";
  options.categories = {"a", "b"};
  const std::string both = bar_chart({{"x", {{1, 0.5, 1.5}, {2}}}, {"y", {{-1}, {3}}}}, options);
  const std::string one = bar_chart({{"x", {{1, 0.5, 1.5}, {kNaN}}}, {"y", {{-1}, {3}}}}, options);
  EXPECT_EQ(xml_fault(both), "");
  EXPECT_EQ(count(both, "<rect"), count(one, "<rect") + 1);
  options.categories = {};
  EXPECT_EQ(xml_fault(bar_chart({}, options)), "");
  options.categories = {
      "a very long name of a method & more", "another very long name <of> one", "c", "d", "e", "f", "g"};
  const std::string slanted = bar_chart({{"", std::vector<Interval>(7, {1})}}, options);
  EXPECT_EQ(xml_fault(slanted), "");
  EXPECT_NE(slanted.find("rotate(-35"), slanted.npos);
}

TEST(IntervalPlot, RowsAndNumbers) {
  IntervalPlotOptions options;
  options.title = "difference to MAP";
  options.reference = 0.0;
  const std::string svg =
      interval_plot({{"ADVI", {-0.1, -0.13, -0.07}}, {"failed", {}}, {"one seed", {0.05, kNaN, kNaN}}}, options);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_NE(svg.find("−0.100 [−0.130, −0.070]"), svg.npos);
  EXPECT_NE(svg.find("n/a"), svg.npos);
  EXPECT_NE(svg.find(">0.050<"), svg.npos);
  EXPECT_EQ(xml_fault(interval_plot({}, options)), "");
}

TEST(HeatMap, ConfusionMatrix) {
  const std::string svg = confusion_plot({50, 3, 0, 0}, {"no", "yes & <maybe>"}, "Confusion");
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find(">50<"), svg.npos);
  EXPECT_NE(svg.find("#d9d2c5"), svg.npos);  // a class without samples
  std::vector<std::string> names(120, "class");
  const std::vector<std::int64_t> counts(120 * 120, 1);
  EXPECT_EQ(xml_fault(confusion_plot(counts, names, "120 classes")), "");
  EXPECT_EQ(xml_fault(confusion_plot({}, {}, "none")), "");
}

}  // namespace
}  // namespace scorevi::metrics
