// Pictures of one target: curves with quartiles over seeds, contours, heat maps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "report.h"
#include "scorevi/metrics/charts.h"
#include "scorevi/metrics/contour_plot.h"
#include "scorevi/metrics/line_plot.h"

namespace scorevi::bench {
namespace {

// The value of a curve at a number of evaluations: of the last point not beyond it; NaN before the first.
double value_at(const MemberResult& result, int64_t evaluations, double Measurement::*value) {
  double last = Measurement::kNaN;
  for (const CurvePoint& point : result.curve)
    if (point.evaluations <= evaluations) last = point.at.*value;
  return last;
}

metrics::Series series_of(const std::string& name, const Cell& cell, double Measurement::*value) {
  metrics::Series series;
  series.name = name;
  std::set<int64_t> at;
  for (const MemberResult* result : cell.members)
    for (const CurvePoint& point : result->curve)
      if (point.evaluations > 0) at.insert(point.evaluations);
  for (const int64_t evaluations : at) {
    std::vector<double> values;
    for (const MemberResult* result : cell.members) values.push_back(value_at(*result, evaluations, value));
    const Quartiles q = quartiles(std::move(values));
    series.x.push_back(static_cast<double>(evaluations));
    series.y.push_back(q.median);
    series.low.push_back(q.low);
    series.high.push_back(q.high);
  }
  return series;
}

struct Curve {
  double Measurement::*value;
  const char *file, *label;
};
constexpr Curve kCurves[] = {{&Measurement::mean_error, "mean_error", "relative error of the mean"},
                             {&Measurement::sd_error, "sd_error", "relative error of the standard deviations"},
                             {&Measurement::forward_kl, "forward_kl", "KL(p || q), nats"},
                             {&Measurement::reverse_kl, "reverse_kl", "KL(q || p), nats"}};

constexpr std::size_t kColors = 7;        // of metrics::series_color, before they come again
constexpr double kSmallestShown = 1e-10;  // rounding

double smallest(const std::vector<metrics::Series>& all) {
  double low = std::numeric_limits<double>::infinity();
  for (const metrics::Series& series : all)
    for (const double y : series.y)
      if (y > 0) low = std::min(low, y);
  return low;
}

void add_curves(const BenchOptions& options, const TargetSummary& target, std::vector<Figure>& figures) {
  for (const Curve& curve : kCurves) {
    std::vector<metrics::Series> all;
    for (const Cell& cell : target.cells) {
      metrics::Series series = series_of(label_of(options.methods[cell.method]), cell, curve.value);
      series.dashed = all.size() >= kColors;
      if (std::any_of(series.y.begin(), series.y.end(), [](double v) { return std::isfinite(v) && v > 0; }))
        all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    metrics::PlotOptions plot;
    plot.title = target.name;
    plot.x.label = "score evaluations";
    plot.x.log = plot.y.log = true;
    plot.y.label = curve.label;
    if (smallest(all) < kSmallestShown) plot.y.low = kSmallestShown;
    plot.width = 470;
    plot.height = 330;
    figures.push_back(
        {target.name + "__" + curve.file + ".svg", metrics::line_plot(all, plot), "median and quartiles over seeds"});
  }
}

// Both densities relative to their height: -1/2 and -2 are one and two standard deviations of a Gaussian.
const std::vector<double> kLevels = {-0.5, -2, -4.5};

std::vector<double> heights(std::vector<double> log_density) {
  double top = -std::numeric_limits<double>::infinity();
  for (const double v : log_density)
    if (std::isfinite(v)) top = std::max(top, v);
  for (double& v : log_density) v -= top;
  return log_density;
}

std::vector<double> target_on(const metrics::Grid& grid, targets::AnalyticTarget& target) {
  std::vector<double> values;
  const at::Tensor theta = target.point();
  auto* at = theta.mutable_data_ptr<double>();
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < grid.columns; ++c) {
      at[0] = grid.x(c), at[1] = grid.y(r);
      values.push_back(target.evaluate(theta).log_density);
    }
  return heights(std::move(values));
}

std::vector<double> gaussian_on(const metrics::Grid& grid, const MemberResult& q) {
  const double a = q.covariance[0], b = q.covariance[1], d = q.covariance[3], det = a * d - b * b;
  std::vector<double> values;
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < grid.columns; ++c) {
      const double x = grid.x(c) - q.mean[0], y = grid.y(r) - q.mean[1];
      values.push_back(-(d * x * x - 2 * b * x * y + a * y * y) / (2 * det));
    }
  return values;
}

// Three and a half standard deviations of the target, and the modes.
metrics::Grid grid_around(const targets::KnownTarget& known) {
  const targets::Reference& reference = known.reference;
  double low[2] = {-4, -4}, high[2] = {4, 4};
  if (reference.sd.defined())
    for (int j = 0; j < 2; ++j) {
      const double mean = reference.mean[j].item<double>(), sd = reference.sd[j].item<double>();
      low[j] = mean - 3.5 * sd, high[j] = mean + 3.5 * sd;
    }
  for (const at::Tensor& mode : known.modes)
    for (int j = 0; j < 2; ++j) {
      low[j] = std::min(low[j], mode[j].item<double>() - 3);
      high[j] = std::max(high[j], mode[j].item<double>() + 3);
    }
  return {low[0], high[0], low[1], high[1], 121, 121};
}

void add_contours(const BenchOptions& options, const TargetSummary& target, std::vector<Figure>& figures) {
  if (target.cells.empty() || target.cells.front().members.empty()) return;
  const bool plane = std::any_of(target.cells.begin(), target.cells.end(), [](const Cell& cell) {
    return !cell.members.empty() && cell.members.front()->mean.size() == 2;
  });
  if (!plane || target.target->density->prior() != nullptr) return;
  const targets::KnownTarget& known = *target.target;
  const metrics::Grid grid = grid_around(known);
  metrics::ContourLayer density;
  density.name = "target";
  density.values = target_on(grid, *known.density);
  density.levels = kLevels;
  density.color = "#888888";
  for (const Cell& cell : target.cells) {
    const MemberResult& q = *cell.members.front();
    if (q.mean.size() != 2 || !(q.covariance[0] > 0)) continue;
    metrics::ContourLayer layer;
    layer.name = label_of(options.methods[cell.method]);
    layer.values = gaussian_on(grid, q);
    layer.levels = kLevels;
    layer.color = metrics::series_color(0);
    metrics::PlotOptions plot;
    plot.title = target.name;
    plot.x.label = "theta 1";
    plot.y.label = "theta 2";
    plot.width = plot.height = 340;
    figures.push_back({target.name + "__" + layer.name + "__contours.svg",
                       metrics::contour_plot(grid, {density, layer}, plot), "one, two and three sigma; first seed"});
  }
}

void add_heat_maps(const BenchOptions& options, const TargetSummary& target, std::vector<Figure>& figures) {
  const std::vector<double>&stds = options.robustness.start_std, &rates = options.robustness.rate_factors;
  for (std::size_t method = 0; method < options.methods.size(); ++method) {
    metrics::HeatMap map;
    map.rows = static_cast<int>(stds.size());
    map.columns = static_cast<int>(rates.size());
    map.low = -2, map.high = 2;
    map.title = target.name + ": " + label_of(options.methods[method]);
    map.row_title = "starting sigma";
    map.column_title = "factor on the rate";
    map.scale_label = "log10 of the final error";
    for (const double std : stds) map.row_labels.push_back(fmt::format("{:g}", std));
    for (const double rate : rates) map.column_labels.push_back(fmt::format("{:g}", rate));
    for (const double std : stds)
      for (const double rate : rates) {
        std::vector<double> errors;
        for (const Cell& cell : target.cells)
          if (cell.method == method && cell.start_std == std && cell.rate_factor == rate)
            for (const MemberResult* result : cell.members)
              if (result->outcome != "refused")
                errors.push_back(result->ended_well() ? final_error(*result) : std::numeric_limits<double>::infinity());
        const double error = quartiles(std::move(errors)).median;
        map.values.push_back(std::isfinite(error) ? std::clamp(std::log10(error), map.low, map.high) : map.high);
        map.cell_text.push_back(std::isfinite(error) ? fmt::format("{:.2g}", error)
                                : std::isnan(error)  ? "none"
                                                     : "lost");
      }
    figures.push_back({target.name + "__" + label_of(options.methods[method]) + "__robustness.svg",
                       metrics::heat_map(map),
                       "median over seeds of the larger relative error; lost: diverged; none: refused, or the target "
                       "has no moments"});
  }
}

}  // namespace

std::vector<Figure> figures_of(const BenchOptions& options, const TargetSummary& target) {
  std::vector<Figure> figures;
  if (!options.robustness.start_std.empty()) {
    add_heat_maps(options, target, figures);
    return figures;
  }
  add_curves(options, target, figures);
  add_contours(options, target, figures);
  return figures;
}

}  // namespace scorevi::bench
