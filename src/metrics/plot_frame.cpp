#include "plot_frame.h"

#include <algorithm>

namespace scorevi::metrics {
namespace {

constexpr double kTickLength = 4.0;
using Anchor = TextStyle::Anchor;

bool inside(const Axis& axis, double v) {
  const double slack = 1e-9 * (axis.high() - axis.low());
  return v >= axis.low() - slack && v <= axis.high() + slack;
}

}  // namespace

double draw_title(SvgCanvas* canvas, double left, double right, std::string_view title) {
  double y = 6.0;
  TextStyle style;
  style.size = kTitleSize;
  style.bold = true;
  for (const std::string& line : wrap_text(title, kTitleWidthSize, right - left)) {
    y += kTitleSize + 4.0;
    canvas->text({left, y - 3.0}, line, style);
  }
  return y + 4.0;
}

double draw_legend(SvgCanvas* canvas, double left, double right, double top, const std::vector<LegendItem>& items) {
  constexpr double kMark = 22.0, kGap = 16.0, kRow = 17.0;
  TextStyle style;
  double x = left, y = top;
  for (const LegendItem& item : items) {
    const std::string name = shorten_text(item.name, style.size, right - left - kMark - 6.0);
    const double width = kMark + 6.0 + text_width(name, style.size);
    if (x > left && x + width > right) {
      x = left;
      y += kRow;
    }
    const double middle = y + 8.0;
    if (item.mark == LegendItem::Mark::kBox) {
      canvas->rect({x + 5.0, middle - 6.0}, 12.0, 12.0, item.color, item.opacity);
    } else {
      const char* dash = item.mark == LegendItem::Mark::kDashes ? "5 3" : "";
      canvas->line({x, middle}, {x + kMark, middle}, {item.color, 2.0, dash});
    }
    canvas->text({x + kMark + 6.0, middle + 4.0}, name, style);
    x += width + kGap;
  }
  return items.empty() ? top : y + kRow + 5.0;
}

void draw_x_axis(SvgCanvas* canvas, const PlotArea& area, const Axis& axis, bool grid) {
  TextStyle tick;
  tick.size = kTickSize;
  tick.anchor = Anchor::kMiddle;
  double taken_to = -1e9;  // labels never overlap
  for (const Tick& t : axis.ticks()) {
    if (!inside(axis, t.value)) continue;
    const double x = axis.pixel(t.value);
    const bool major = !t.label.empty();
    if (grid && major) canvas->line({x, area.top}, {x, area.bottom}, {kGridColor, 1.0});
    canvas->line({x, area.bottom}, {x, area.bottom + (major ? kTickLength : 0.6 * kTickLength)}, {kAxisColor, 1.0});
    const double half = 0.5 * text_width(t.label, kTickSize);
    if (!major || x - half < taken_to + 4.0) continue;
    canvas->text({x, area.bottom + kTickLength + 12.0}, t.label, tick);
    taken_to = x + half;
  }
  if (axis.label().empty()) return;
  TextStyle label;
  label.size = kLabelSize;
  label.anchor = Anchor::kMiddle;
  canvas->text({0.5 * (area.left + area.right), area.bottom + kTickLength + 31.0}, axis.label(), label);
}

void draw_y_axis(SvgCanvas* canvas, const PlotArea& area, const Axis& axis) {
  TextStyle tick;
  tick.size = kTickSize;
  tick.anchor = Anchor::kEnd;
  double taken_to = 1e9;
  for (const Tick& t : axis.ticks()) {
    if (!inside(axis, t.value)) continue;
    const double y = axis.pixel(t.value);
    const bool major = !t.label.empty();
    if (major) canvas->line({area.left, y}, {area.right, y}, {kGridColor, 1.0});
    canvas->line({area.left - (major ? kTickLength : 0.6 * kTickLength), y}, {area.left, y}, {kAxisColor, 1.0});
    if (!major || y + 0.5 * kTickSize > taken_to - 1.0) continue;
    canvas->text({area.left - kTickLength - 4.0, y + 4.0}, t.label, tick);
    taken_to = y - 0.5 * kTickSize;
  }
  if (axis.label().empty()) return;
  TextStyle label;
  label.size = kLabelSize;
  label.anchor = Anchor::kMiddle;
  label.rotate_deg = -90.0;
  const double x = area.left - y_axis_width(axis) + 19.0;
  canvas->text({x, 0.5 * (area.top + area.bottom)}, shorten_text(axis.label(), kLabelSize, area.height() + 30.0),
               label);
}

void draw_frame(SvgCanvas* canvas, const PlotArea& area) {
  canvas->line({area.left, area.top}, {area.left, area.bottom}, {kAxisColor, 1.0});
  canvas->line({area.left, area.bottom}, {area.right, area.bottom}, {kAxisColor, 1.0});
}

double y_axis_width(const Axis& axis) {
  return axis.widest_tick(kTickSize) + kTickLength + 12.0 + (axis.label().empty() ? 0.0 : 18.0);
}

double x_axis_height(const Axis& axis) { return kTickLength + 20.0 + (axis.label().empty() ? 0.0 : 18.0); }

PlotArea draw_axes(SvgCanvas* canvas, const PlotOptions& options, const std::vector<LegendItem>& legend, Axis* x,
                   Axis* y) {
  PlotArea area;
  area.left = y_axis_width(*y) + 2.0;
  area.right = options.width - 22.0;
  area.top = draw_title(canvas, area.left, area.right, options.title);
  area.top = draw_legend(canvas, area.left, area.right, area.top, legend) + 4.0;
  area.bottom = options.height - x_axis_height(*x) - 4.0;
  x->place(area.left, area.right);
  y->place(area.bottom, area.top);
  draw_x_axis(canvas, area, *x);
  draw_y_axis(canvas, area, *y);
  draw_frame(canvas, area);
  return area;
}

}  // namespace scorevi::metrics
