#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot_frame.h"
#include "scorevi/core/check.h"
#include "scorevi/metrics/charts.h"

namespace scorevi::metrics {
namespace {

constexpr char kMissing[] = "#d9d2c5";  // a value that is not finite
constexpr double kBarWidth = 12.0;      // colour bar, px
using Anchor = TextStyle::Anchor;

double share_of(double v, double low, double high) {
  return high > low ? std::clamp((v - low) / (high - low), 0.0, 1.0) : 0.0;
}

// White through blue to dark blue.
std::string shade(double share) {
  const double stops[3][3] = {{255, 255, 255}, {86, 160, 211}, {8, 48, 107}};
  const double position = 2.0 * share;
  const int i = position < 1.0 ? 0 : 1;
  const double t = position - i;
  const auto channel = [&](int c) {
    return static_cast<int>(std::lround(stops[i][c] + t * (stops[i + 1][c] - stops[i][c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

double widest(const std::vector<std::string>& labels) {
  double w = 0.0;
  for (const std::string& l : labels) w = std::max(w, text_width(l, kTickSize));
  return std::min(w, 120.0);
}

// Every how many labels one fits.
int label_stride(double cell, double needed) { return std::max(1, static_cast<int>(std::ceil(needed / cell))); }

struct Layout {
  PlotArea area;
  double cell_width = 0.0, cell_height = 0.0;
  bool upright = true;  // column labels fit side by side
  double column_label_height = 0.0;
};

Layout layout_of(const HeatMap& map, double width, double title_height) {
  Layout l;
  l.area.left = widest(map.row_labels) + 14.0 + (map.row_title.empty() ? 0.0 : 20.0);
  l.area.right = width - kBarWidth - 58.0;
  l.cell_width = std::min(64.0, l.area.width() / std::max(1, map.columns));
  l.area.right = l.area.left + l.cell_width * map.columns;
  l.cell_height = std::clamp(l.cell_width, 420.0 / std::max(14, map.rows), 40.0);
  const double label = widest(map.column_labels);
  l.upright = label + 4.0 <= l.cell_width;
  l.column_label_height = map.column_labels.empty() ? 0.0 : l.upright ? 18.0 : label + 10.0;
  l.area.top = title_height + 4.0;
  l.area.bottom = l.area.top + l.cell_height * map.rows;
  return l;
}

void draw_cells(SvgCanvas* canvas, const HeatMap& map, const Layout& l) {
  TextStyle style;
  style.size = std::clamp(0.42 * l.cell_height, 8.0, 12.0);
  style.anchor = Anchor::kMiddle;
  for (int r = 0; r < map.rows; ++r) {
    for (int c = 0; c < map.columns; ++c) {
      const std::size_t i = static_cast<std::size_t>(r) * map.columns + c;
      const double x = l.area.left + c * l.cell_width, y = l.area.top + r * l.cell_height;
      const bool known = std::isfinite(map.values[i]);
      const double share = known ? share_of(map.values[i], map.low, map.high) : 0.0;
      canvas->rect({x, y}, l.cell_width, l.cell_height, known ? shade(share) : kMissing);
      if (map.cell_text.empty() || l.cell_height < 14.0) continue;
      if (text_width(map.cell_text[i], style.size) > l.cell_width - 2.0) continue;
      style.color = share > 0.5 ? "#ffffff" : "#222222";
      canvas->text({x + 0.5 * l.cell_width, y + 0.5 * l.cell_height + 0.36 * style.size}, map.cell_text[i], style);
    }
  }
  canvas->rect({l.area.left, l.area.top}, l.area.width(), l.area.height(), "none", 1.0, "#999999");
}

void draw_labels(SvgCanvas* canvas, const HeatMap& map, const Layout& l) {
  TextStyle style;
  style.size = kTickSize;
  style.anchor = Anchor::kEnd;
  const int row_stride = label_stride(l.cell_height, kTickSize + 1.0);
  for (std::size_t r = 0; r < map.row_labels.size(); r += row_stride)
    canvas->text({l.area.left - 6.0, l.area.top + (static_cast<double>(r) + 0.5) * l.cell_height + 4.0},
                 shorten_text(map.row_labels[r], kTickSize, 120.0), style);
  if (l.upright) style.anchor = Anchor::kMiddle;
  if (!l.upright) style.rotate_deg = -90.0;
  const int column_stride = l.upright ? 1 : label_stride(l.cell_width, kTickSize + 1.0);
  for (std::size_t c = 0; c < map.column_labels.size(); c += column_stride)
    canvas->text({l.area.left + (static_cast<double>(c) + 0.5) * l.cell_width + (l.upright ? 0 : 4),
                  l.area.bottom + (l.upright ? 15.0 : 6.0)},
                 shorten_text(map.column_labels[c], kTickSize, 120.0), style);
  TextStyle title;
  title.anchor = Anchor::kMiddle;
  canvas->text({0.5 * (l.area.left + l.area.right), l.area.bottom + l.column_label_height + 18.0}, map.column_title,
               title);
  title.rotate_deg = -90.0;
  canvas->text({15.0, 0.5 * (l.area.top + l.area.bottom)}, map.row_title, title);
}

void draw_color_bar(SvgCanvas* canvas, const HeatMap& map, const Layout& l) {
  constexpr int kSteps = 48;
  const double x = l.area.right + 14.0, height = std::min(l.area.height(), 180.0);
  for (int i = 0; i < kSteps; ++i)
    canvas->rect({x, l.area.top + i * height / kSteps}, kBarWidth, height / kSteps + 0.4,
                 shade(1.0 - (i + 0.5) / kSteps));
  canvas->rect({x, l.area.top}, kBarWidth, height, "none", 1.0, "#999999");
  TextStyle style;
  style.size = 10.0;
  canvas->text({x + kBarWidth + 4.0, l.area.top + 8.0}, fmt::format("{:.3g}", map.high), style);
  canvas->text({x + kBarWidth + 4.0, l.area.top + height}, fmt::format("{:.3g}", map.low), style);
  style.rotate_deg = 90.0;
  style.anchor = Anchor::kMiddle;
  if (text_width(map.scale_label, style.size) <= height - 40.0)
    canvas->text({x + kBarWidth + 8.0, l.area.top + 0.5 * height}, map.scale_label, style);
}

}  // namespace

std::string heat_map(const HeatMap& map, double width) {
  const auto cells = static_cast<std::size_t>(map.rows) * map.columns;
  SCOREVI_CHECK_OP(map.values.size(), ==, cells);
  SCOREVI_CHECK(map.cell_text.empty() || map.cell_text.size() == cells);
  const double lines = static_cast<double>(wrap_text(map.title, kTitleWidthSize, width - 20.0).size());
  const Layout l = layout_of(map, width, 10.0 + lines * (kTitleSize + 4.0));
  const double below = l.column_label_height + (map.column_title.empty() ? 8.0 : 28.0);
  SvgCanvas canvas(width, l.area.bottom + below, map.title);
  draw_title(&canvas, 10.0, width - 10.0, map.title);
  if (cells > 0) {
    draw_cells(&canvas, map, l);
    draw_labels(&canvas, map, l);
    draw_color_bar(&canvas, map, l);
  }
  return canvas.str();
}

std::string confusion_plot(const std::vector<std::int64_t>& counts, const std::vector<std::string>& class_names,
                           const std::string& title, double width) {
  const std::size_t classes = class_names.size();
  SCOREVI_CHECK_OP(counts.size(), ==, classes * classes);
  HeatMap map;
  map.rows = map.columns = static_cast<int>(classes);
  map.row_labels = map.column_labels = class_names;
  map.title = title;
  map.row_title = "true class";
  map.column_title = "predicted class";
  map.scale_label = "share of the true class";
  for (std::size_t t = 0; t < classes; ++t) {
    std::int64_t total = 0;
    for (std::size_t p = 0; p < classes; ++p) total += counts[t * classes + p];
    for (std::size_t p = 0; p < classes; ++p) {
      const std::int64_t count = counts[t * classes + p];
      // A class without samples has no shares.
      map.values.push_back(static_cast<double>(count) / static_cast<double>(total));
      map.cell_text.push_back(count == 0 ? "" : std::to_string(count));
    }
  }
  return heat_map(map, width);
}

}  // namespace scorevi::metrics
