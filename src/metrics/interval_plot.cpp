#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot_frame.h"
#include "scorevi/metrics/charts.h"

namespace scorevi::metrics {
namespace {

constexpr double kRowHeight = 25.0;  // px

std::string numbers_text(const Interval& i, int decimals) {
  if (!std::isfinite(i.value)) return "n/a";
  const auto text = [decimals](double v) {
    const std::string digits = fmt::format("{:.{}f}", std::abs(v), decimals);
    return (v < 0.0 ? "−" : "") + digits;
  };
  if (!std::isfinite(i.low) || !std::isfinite(i.high)) return text(i.value);
  return text(i.value) + " [" + text(i.low) + ", " + text(i.high) + "]";
}

void draw_row(SvgCanvas* canvas, const IntervalRow& row, double y, const Axis& x) {
  const std::string& color = series_color(0);
  const Interval& i = row.interval;
  if (std::isfinite(i.low) && x.shows(i.high)) {
    const double low = x.pixel(x.shows(i.low) ? i.low : x.low()), high = x.pixel(i.high);
    canvas->line({low, y}, {high, y}, {color, 2.0});
    canvas->line({low, y - 4.0}, {low, y + 4.0}, {color, 2.0});
    canvas->line({high, y - 4.0}, {high, y + 4.0}, {color, 2.0});
  }
  if (x.shows(i.value)) canvas->circle({x.pixel(i.value), y}, 4.0, color);
}

}  // namespace

std::string interval_plot(const std::vector<IntervalRow>& rows, const IntervalPlotOptions& options) {
  DataRange data(options.x.log);
  data.add(options.reference);
  double label_width = 0.0, number_width = 0.0;
  for (const IntervalRow& row : rows) {
    for (double v : {row.interval.value, row.interval.low, row.interval.high}) data.add(v);
    label_width = std::max(label_width, text_width(row.label, kLabelSize));
    number_width = std::max(number_width, text_width(numbers_text(row.interval, options.decimals), kTickSize));
  }
  label_width = std::min(label_width, 0.35 * options.width);
  PlotArea area;
  area.left = label_width + 20.0;
  area.right = options.width - number_width - 26.0;
  Axis x(options.x, data, std::max(2, static_cast<int>(area.width() / 75.0)));
  x.place(area.left, area.right);
  const double title_lines =
      static_cast<double>(wrap_text(options.title, kTitleWidthSize, options.width - 20.0).size());
  area.top = 6.0 + title_lines * (kTitleSize + 4.0) + 8.0;
  area.bottom = area.top + kRowHeight * static_cast<double>(std::max<std::size_t>(1, rows.size()));
  SvgCanvas canvas(options.width, area.bottom + x_axis_height(x) + 6.0, options.title);
  draw_title(&canvas, 10.0, options.width - 10.0, options.title);
  draw_x_axis(&canvas, area, x);
  canvas.line({area.left, area.bottom}, {area.right, area.bottom}, {kAxisColor, 1.0});
  if (x.shows(options.reference))
    canvas.line({x.pixel(options.reference), area.top}, {x.pixel(options.reference), area.bottom},
                {kAxisColor, 1.2, "5 4"});
  TextStyle label, number;
  label.anchor = TextStyle::Anchor::kEnd;
  number.size = kTickSize;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = area.top + kRowHeight * (static_cast<double>(r) + 0.5);
    canvas.text({area.left - 10.0, y + 4.0}, shorten_text(rows[r].label, kLabelSize, label_width), label);
    canvas.text({area.right + 14.0, y + 4.0}, numbers_text(rows[r].interval, options.decimals), number);
    draw_row(&canvas, rows[r], y, x);
  }
  return canvas.str();
}

}  // namespace scorevi::metrics
