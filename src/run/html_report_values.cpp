// Predictions of numbers against their targets.
#include <fmt/format.h>

#include <algorithm>

#include "html_report_parts.h"
#include "scorevi/metrics/line_plot.h"

namespace scorevi::run {
namespace {

constexpr double kSidePx = 520;

std::string scatter_plot(const std::vector<EvaluationReport::Value>& values) {
  metrics::Series predictions, diagonal;
  predictions.name = "mean and 90 % interval";
  predictions.dots = predictions.error_bars = true;
  for (const EvaluationReport::Value& value : values) {
    predictions.x.push_back(value.target);
    predictions.y.push_back(value.mean);
    predictions.low.push_back(value.lower);
    predictions.high.push_back(value.upper);
  }
  const auto [low, high] = std::minmax_element(predictions.x.begin(), predictions.x.end());
  diagonal.name = "prediction = target";
  diagonal.dashed = true;
  diagonal.color = "#888888";
  diagonal.x = diagonal.y = {*low, *high};
  metrics::PlotOptions options;
  options.title = "Prediction against target";
  options.x.label = "target";
  options.y.label = "prediction";
  options.width = options.height = kSidePx;
  return metrics::line_plot({predictions, diagonal}, options);
}

}  // namespace

void add_values(metrics::HtmlPage& page, const EvaluationReport& report) {
  if (!report.values_drawn.empty()) {
    page.heading("Predictions");
    page.figure(scatter_plot(report.values_drawn),
                fmt::format("{} of the predictions of this split. About nine bars in ten should cross the dashed line.",
                            report.values_drawn.size()));
  }
  if (report.worst.empty()) return;
  page.heading("Largest errors");
  PlacedTable table({{"target"}, {"prediction"}, {"error"}, {"90 % interval"}});
  for (const EvaluationReport::Value& value : report.worst)
    table.add(value.place, {fmt::format("{:.4g}", value.target), fmt::format("{:.4g}", value.mean),
                            fmt::format("{:+.4g}", value.mean - value.target),
                            fmt::format("{:.4g} to {:.4g}", value.lower, value.upper)});
  page.table(table.table());
}

}  // namespace scorevi::run
