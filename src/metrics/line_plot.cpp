#include "scorevi/metrics/line_plot.h"

#include <algorithm>
#include <cmath>

#include "plot_frame.h"
#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

constexpr std::size_t kDotsUpTo = 24;     // points of a series that are marked
constexpr std::size_t kThinAbove = 2000;  // points of a run: then the extremes of each pixel column

std::string color_of(const Series& s, std::size_t i) { return s.color.empty() ? series_color(i) : s.color; }

bool has_limits(const Series& s) { return !s.low.empty(); }

// First, lowest, highest and last point of each pixel column.
std::vector<Point> thinned(const std::vector<Point>& points) {
  if (points.size() <= kThinAbove) return points;
  std::vector<Point> out;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const double column = std::floor(points[begin].x);
    while (end < points.size() && std::floor(points[end].x) == column) ++end;
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = points.begin() + static_cast<std::ptrdiff_t>(end);
    const auto [low, high] = std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
    out.push_back(*first);
    out.push_back(std::min(low, high) == low ? *low : *high);
    out.push_back(std::min(low, high) == low ? *high : *low);
    if (end - begin > 1) out.push_back(points[end - 1]);
  }
  return out;
}

// Calls use(begin, end) for every run of consecutive points that `shown` accepts.
template <class Shown, class Use>
void for_each_run(std::size_t n, const Shown& shown, const Use& use) {
  for (std::size_t begin = 0; begin < n; ++begin) {
    if (!shown(begin)) continue;
    std::size_t end = begin + 1;
    while (end < n && shown(end)) ++end;
    use(begin, end);
    begin = end;
  }
}

void draw_band(SvgCanvas* canvas, const Series& s, const std::string& color, const Axis& x, const Axis& y) {
  const auto shown = [&](std::size_t i) { return x.shows(s.x[i]) && std::isfinite(s.low[i]) && y.shows(s.high[i]); };
  for_each_run(s.x.size(), shown, [&](std::size_t begin, std::size_t end) {
    std::vector<Point> upper, lower;
    for (std::size_t i = begin; i < end; ++i) {
      const double low = y.shows(s.low[i]) ? s.low[i] : y.low();  // below 0 on a log axis
      upper.push_back({x.pixel(s.x[i]), y.pixel(s.high[i])});
      lower.push_back({x.pixel(s.x[i]), y.pixel(low)});
    }
    std::vector<Point> outline = thinned(upper);
    lower = thinned(lower);
    outline.insert(outline.end(), lower.rbegin(), lower.rend());
    canvas->polygon(outline, color, 0.18);
  });
}

void draw_error_bars(SvgCanvas* canvas, const Series& s, const std::string& color, const Axis& x, const Axis& y) {
  constexpr double kCap = 3.5;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!x.shows(s.x[i]) || !std::isfinite(s.low[i]) || !y.shows(s.high[i])) continue;
    const double px = x.pixel(s.x[i]), top = y.pixel(s.high[i]);
    const double bottom = y.pixel(y.shows(s.low[i]) ? s.low[i] : y.low());
    canvas->line({px, top}, {px, bottom}, {color, 1.2});
    canvas->line({px - kCap, top}, {px + kCap, top}, {color, 1.2});
    canvas->line({px - kCap, bottom}, {px + kCap, bottom}, {color, 1.2});
  }
}

void draw_line(SvgCanvas* canvas, const Series& s, const std::string& color, const Axis& x, const Axis& y) {
  const auto shown = [&](std::size_t i) { return x.shows(s.x[i]) && y.shows(s.y[i]); };
  for_each_run(s.x.size(), shown, [&](std::size_t begin, std::size_t end) {
    std::vector<Point> points;
    for (std::size_t i = begin; i < end; ++i) points.push_back({x.pixel(s.x[i]), y.pixel(s.y[i])});
    if (points.size() > 1 && !s.dots) canvas->polyline(thinned(points), {color, 1.8, s.dashed ? "6 4" : ""});
    if (points.size() == 1 || s.x.size() <= kDotsUpTo || s.dots)
      for (const Point& p : points) canvas->circle(p, 2.8, color);
  });
}

void check_lengths(const Series& s) {
  SCOREVI_CHECK_OP(s.x.size(), ==, s.y.size());
  SCOREVI_CHECK_OP(s.low.size(), ==, s.high.size());
  if (has_limits(s)) SCOREVI_CHECK_OP(s.low.size(), ==, s.x.size());
}

// Ranges over the points that are really drawn.
void add_to_ranges(const Series& s, DataRange* x, DataRange* y, bool log_x, bool log_y) {
  const auto fits = [](double v, bool log) { return std::isfinite(v) && (!log || v > 0.0); };
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const bool limits = has_limits(s) && fits(s.high[i], log_y) && std::isfinite(s.low[i]);
    if (!fits(s.x[i], log_x) || !(fits(s.y[i], log_y) || limits)) continue;
    x->add(s.x[i]);
    y->add(s.y[i]);
    if (!limits) continue;
    y->add(s.low[i]);
    y->add(s.high[i]);
  }
}

void draw_series(SvgCanvas* canvas, const std::vector<Series>& series, const Axis& x, const Axis& y) {
  for (std::size_t i = 0; i < series.size(); ++i)
    if (has_limits(series[i]) && !series[i].error_bars) draw_band(canvas, series[i], color_of(series[i], i), x, y);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (has_limits(series[i]) && series[i].error_bars) draw_error_bars(canvas, series[i], color_of(series[i], i), x, y);
    draw_line(canvas, series[i], color_of(series[i], i), x, y);
  }
}

}  // namespace

std::string line_plot(const std::vector<Series>& series, const PlotOptions& options) {
  SvgCanvas canvas(options.width, options.height, options.title);
  DataRange x_data(options.x.log), y_data(options.y.log);
  std::vector<LegendItem> legend;
  for (std::size_t i = 0; i < series.size(); ++i) {
    check_lengths(series[i]);
    add_to_ranges(series[i], &x_data, &y_data, options.x.log, options.y.log);
    using Mark = LegendItem::Mark;
    if (!series[i].name.empty())
      legend.push_back({series[i].name, color_of(series[i], i), series[i].dashed ? Mark::kDashes : Mark::kLine});
  }
  Axis x(options.x, x_data, static_cast<int>(options.width / 90.0));
  Axis y(options.y, y_data, static_cast<int>(options.height / 60.0));
  const PlotArea area = draw_axes(&canvas, options, legend, &x, &y);
  // Dots on the border stay whole.
  canvas.begin_clip({area.left - 4.0, area.top - 4.0}, area.width() + 8.0, area.height() + 8.0);
  draw_series(&canvas, series, x, y);
  canvas.end_clip();
  if (x_data.empty()) {
    TextStyle style;
    style.anchor = TextStyle::Anchor::kMiddle;
    style.color = kAxisColor;
    canvas.text({0.5 * (area.left + area.right), 0.5 * (area.top + area.bottom)}, "no data", style);
  }
  return canvas.str();
}

}  // namespace scorevi::metrics
