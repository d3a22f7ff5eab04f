#include <algorithm>
#include <cmath>

#include "plot_frame.h"
#include "scorevi/core/check.h"
#include "scorevi/metrics/charts.h"

namespace scorevi::metrics {
namespace {

double bottom_of(const Axis& y) { return y.shows(0.0) ? 0.0 : y.low(); }

void draw_bar(SvgCanvas* canvas, const Interval& bar, double left, double width, const std::string& color,
              const Axis& y) {
  if (y.shows(bar.value)) {
    const double value = y.pixel(bar.value), base = y.pixel(bottom_of(y));
    canvas->rect({left, std::min(value, base)}, width, std::max(std::abs(value - base), 1.0), color, 0.85);
  }
  if (!std::isfinite(bar.low) || !y.shows(bar.high)) return;
  const double x = left + 0.5 * width, cap = std::min(4.0, 0.3 * width);
  const double low = y.pixel(y.shows(bar.low) ? bar.low : y.low()), high = y.pixel(bar.high);
  canvas->line({x, low}, {x, high}, {"#222222", 1.2});
  canvas->line({x - cap, low}, {x + cap, low}, {"#222222", 1.2});
  canvas->line({x - cap, high}, {x + cap, high}, {"#222222", 1.2});
}

// Upright where they fit, slanted otherwise.
struct CategoryLabels {
  bool slanted = false;
  double height = 22.0;
};

CategoryLabels measure_labels(const std::vector<std::string>& names, double slot) {
  CategoryLabels labels;
  double widest = 0.0;
  for (const std::string& n : names) widest = std::max(widest, text_width(n, kTickSize));
  labels.slanted = widest > slot - 6.0;
  if (labels.slanted) labels.height = std::min(110.0, 0.6 * widest + 20.0);
  return labels;
}

void draw_labels(SvgCanvas* canvas, const std::vector<std::string>& names, const PlotArea& area,
                 const CategoryLabels& labels, double slot) {
  TextStyle style;
  style.size = kTickSize;
  style.anchor = labels.slanted ? TextStyle::Anchor::kEnd : TextStyle::Anchor::kMiddle;
  if (labels.slanted) style.rotate_deg = -35.0;
  // Slanted labels lean to the left, where the page ends.
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double x = area.left + (static_cast<double>(c) + 0.5) * slot;
    const double room = labels.slanted ? std::min(150.0, (x - 4.0) / 0.82) : slot;
    canvas->text({x + (labels.slanted ? 4.0 : 0.0), area.bottom + 16.0}, shorten_text(names[c], kTickSize, room),
                 style);
  }
}

}  // namespace

std::string bar_chart(const std::vector<BarGroup>& groups, const BarChartOptions& options) {
  SvgCanvas canvas(options.width, options.height, options.title);
  DataRange data(options.y.log);
  std::vector<LegendItem> legend;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SCOREVI_CHECK_OP(groups[g].bars.size(), ==, options.categories.size());
    for (const Interval& bar : groups[g].bars)
      for (double v : {bar.value, bar.low, bar.high}) data.add(v);
    if (!groups[g].name.empty()) legend.push_back({groups[g].name, series_color(g), LegendItem::Mark::kBox, 0.85});
  }
  AxisOptions y_options = options.y;
  y_options.include_zero = true;
  Axis y(y_options, data, static_cast<int>(options.height / 60.0));
  PlotArea area;
  area.left = y_axis_width(y) + 2.0;
  area.right = options.width - 18.0;
  const double slot = area.width() / static_cast<double>(std::max<std::size_t>(1, options.categories.size()));
  const CategoryLabels labels = measure_labels(options.categories, slot);
  area.top = draw_title(&canvas, area.left, area.right, options.title);
  area.top = draw_legend(&canvas, area.left, area.right, area.top, legend) + 4.0;
  area.bottom = options.height - labels.height - 6.0;
  y.place(area.bottom, area.top);
  draw_y_axis(&canvas, area, y);
  const double used = std::min(0.8 * slot, 46.0 * static_cast<double>(groups.size()));
  const double width = used / static_cast<double>(std::max<std::size_t>(1, groups.size()));
  for (std::size_t c = 0; c < options.categories.size(); ++c) {
    const double left = area.left + (static_cast<double>(c) + 0.5) * slot - 0.5 * used;
    for (std::size_t g = 0; g < groups.size(); ++g)
      draw_bar(&canvas, groups[g].bars[c], left + static_cast<double>(g) * width + 1.0, std::max(1.0, width - 2.0),
               series_color(g), y);
  }
  const double base = y.pixel(bottom_of(y));
  canvas.line({area.left, area.top}, {area.left, area.bottom}, {kAxisColor, 1.0});
  canvas.line({area.left, base}, {area.right, base}, {kAxisColor, 1.0});
  draw_labels(&canvas, options.categories, area, labels, slot);
  return canvas.str();
}

}  // namespace scorevi::metrics
