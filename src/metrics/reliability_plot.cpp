#include "scorevi/metrics/reliability_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plot_frame.h"

namespace scorevi::metrics {
namespace {

constexpr double kHistogramHeight = 76.0;  // px
const std::string& bar_color() { return series_color(0); }
const std::string& gap_color() { return series_color(1); }

// mean confidence - accuracy over all bins.
double signed_gap(const BinTable& t) {
  const double gap = std::accumulate(t.confidence_sum.begin(), t.confidence_sum.end(), 0.0) -
                     std::accumulate(t.correct_sum.begin(), t.correct_sum.end(), 0.0);
  return gap / static_cast<double>(t.total());
}

std::string caption(const BinTable& table, const ReliabilityOptions& options) {
  if (table.total() == 0) return "no samples";
  return fmt::format("ECE {:.4f} ({} bins, {}), MCE {:.3f}, n\u00a0=\u00a0{}, {}", expected_calibration_error(table),
                     table.size(), options.binning, max_calibration_error(table), table.total(),
                     describe_gap(signed_gap(table)));
}

void draw_bins(SvgCanvas* canvas, const BinTable& table, const Axis& x, const Axis& y) {
  for (int b = 0; b < table.size(); ++b) {
    if (table.count[b] == 0) continue;
    const double left = x.pixel(static_cast<double>(b) / table.size()) + 0.75;
    const double right = x.pixel(static_cast<double>(b + 1) / table.size()) - 0.75;
    const double accuracy = y.pixel(table.accuracy(b));
    const double confidence = y.pixel(table.mean_confidence(b));
    canvas->rect({left, accuracy}, right - left, y.pixel(0.0) - accuracy, bar_color(), 0.85);
    const Point corner{left, std::min(accuracy, confidence)};
    const double gap = std::abs(accuracy - confidence);
    canvas->rect(corner, right - left, gap, "#ffffff");  // the shade is the same above and below
    canvas->rect(corner, right - left, gap, gap_color(), 0.4, gap_color());
    canvas->line({left, accuracy}, {right, accuracy}, {"#00344f", 2.0});
  }
}

void draw_histogram(SvgCanvas* canvas, const BinTable& table, const Axis& x, PlotArea area) {
  const auto total = static_cast<double>(std::max<std::int64_t>(1, table.total()));
  DataRange shares;
  for (std::int64_t c : table.count) shares.add(100.0 * static_cast<double>(c) / total);
  AxisOptions options;
  options.label = "% of n";
  options.low = 0.0;
  Axis y(options, shares, 3);
  y.place(area.bottom, area.top);
  draw_x_axis(canvas, area, x, /*grid=*/false);
  draw_y_axis(canvas, area, y);
  for (int b = 0; b < table.size(); ++b) {
    if (table.count[b] == 0) continue;
    const double left = x.pixel(static_cast<double>(b) / table.size()) + 0.75;
    const double right = x.pixel(static_cast<double>(b + 1) / table.size()) - 0.75;
    // A bin with one sample among many is still visible.
    const double top = std::min(y.pixel(100.0 * static_cast<double>(table.count[b]) / total), area.bottom - 1.0);
    canvas->rect({left, top}, right - left, area.bottom - top, "#8a8a8a");
  }
  draw_frame(canvas, area);
}

}  // namespace

std::string describe_gap(double gap) {
  if (!std::isfinite(gap)) return "unknown";
  const double points = 100.0 * std::abs(gap);
  if (points < 0.05) return "neither over- nor under-confident";
  return fmt::format("{}-confident by {:.1f} points", gap > 0 ? "over" : "under", points);
}

std::string reliability_plot(const BinTable& table, const ReliabilityOptions& options) {
  const double left = 56.0, right = options.width - 18.0;
  const std::vector<std::string> caption_lines = wrap_text(caption(table, options), kTickSize, right - left);
  const double side = right - left;  // the upper panel is square
  const double height = side + kHistogramHeight + 134.0 +
                        18.0 * static_cast<double>(wrap_text(options.title, kTitleWidthSize, side).size()) +
                        15.0 * static_cast<double>(caption_lines.size());
  SvgCanvas canvas(options.width, height, options.title + ": " + caption(table, options));
  double top = draw_title(&canvas, left, right, options.title);
  using Mark = LegendItem::Mark;
  top = draw_legend(&canvas, left, right, top,
                    {{"accuracy", bar_color(), Mark::kBox, 0.85},
                     {"gap to confidence", gap_color(), Mark::kBox, 0.4},
                     {"ideal", kAxisColor, Mark::kDashes}});
  const PlotArea upper{left, top + 4.0, right, top + 4.0 + side};
  const PlotArea lower{left, upper.bottom + 16.0, right, upper.bottom + 16.0 + kHistogramHeight};
  AxisOptions unit;
  unit.low = 0.0;
  unit.high = 1.0;
  unit.label = "accuracy";
  Axis y(unit, DataRange(), 5);
  y.place(upper.bottom, upper.top);
  unit.label = "confidence";
  Axis x(unit, DataRange(), 5);
  x.place(left, right);
  draw_y_axis(&canvas, upper, y);
  draw_bins(&canvas, table, x, y);
  canvas.line({left, upper.bottom}, {right, upper.top}, {kAxisColor, 1.2, "5 4"});
  draw_frame(&canvas, upper);
  draw_histogram(&canvas, table, x, lower);
  TextStyle style;
  style.size = kTickSize;
  double line_y = lower.bottom + x_axis_height(x) + 14.0;
  for (const std::string& line : caption_lines) {
    canvas.text({left, line_y}, line, style);
    line_y += 15.0;
  }
  return canvas.str();
}

}  // namespace scorevi::metrics
