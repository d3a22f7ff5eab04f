// Training curves and standard deviations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html_report_parts.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/numbers.h"
#include "scorevi/io/csv.h"
#include "scorevi/metrics/line_plot.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr std::size_t kOpenRows = 12;  // of a table that is not folded away
constexpr double kHalfWidthPx = 455;   // two side by side

struct Curve {
  std::string column;
  std::string name;
  double scale = 1;
};

// A log axis shows curves that fall by orders of magnitude.
bool wants_log(const std::vector<metrics::Series>& series) {
  double low = INFINITY, high = 0;
  for (const metrics::Series& line : series)
    for (const double value : line.y) {
      if (std::isnan(value)) continue;
      if (value <= 0) return false;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return high > 50 * low;
}

// Epochs in which a column was not evaluated are left out, so that its line is not torn.
metrics::Series series_of(const Curves& curves, const Curve& curve) {
  metrics::Series series;
  series.name = curve.name;
  const std::vector<double>& x = curves.at("epoch");
  const std::vector<double>& y = curves.at(curve.column);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(y[i])) continue;
    series.x.push_back(x[i]);
    series.y.push_back(y[i] * curve.scale);
  }
  return series;
}

void add_plot(metrics::HtmlPage& page, const Curves& curves, const std::vector<Curve>& wanted, const std::string& title,
              const std::string& y_label) {
  std::vector<metrics::Series> series;
  for (const Curve& curve : wanted)
    if (has_values(curves, curve.column)) series.push_back(series_of(curves, curve));
  if (series.empty()) return;
  metrics::PlotOptions options;
  options.title = title;
  options.x.label = "epoch";
  options.x.integer = true;
  options.y.label = y_label;
  options.y.log = wants_log(series);
  options.width = kHalfWidthPx;
  options.height = 320;
  page.figure(metrics::line_plot(series, options));
}

bool varies(const Curves& curves, const std::string& column) {
  if (!has_values(curves, column)) return false;
  const std::vector<double>& values = curves.at(column);
  return std::any_of(values.begin(), values.end(), [&](double v) { return v != values[0]; });
}

std::string sigma_plot(const Curves& curves) {
  metrics::Series band;
  band.name = "median, 5 % to 95 %";
  band.x = curves.at("epoch");
  band.y = curves.at("sigma_p50");
  band.low = curves.at("sigma_p05");
  band.high = curves.at("sigma_p95");
  metrics::Series low, high;
  low.name = "smallest and largest";
  low.dashed = high.dashed = true;
  low.color = high.color = "#888888";
  low.x = high.x = curves.at("epoch");
  low.y = curves.at("sigma_min");
  high.y = curves.at("sigma_max");
  metrics::PlotOptions options;
  options.title = "Posterior standard deviations of the weights";
  options.x.label = "epoch";
  options.x.integer = true;
  options.y.label = "σ";
  options.y.log = true;
  return metrics::line_plot({band, low, high}, options);
}

void add_sigma_table(metrics::HtmlPage& page, const EvaluationReport& report) {
  metrics::DataTable table;
  table.columns = {{"parameter", false}, {"weights"}, {"median σ at start"}, {"smallest"}, {"median"},
                   {"largest"},          {"moved %"}};
  table.caption = "Standard deviations per parameter at the end; moved: share that training changed by more than 1 %.";
  const auto text = [](double value) { return fmt::format("{:.3g}", value); };
  for (const EvaluationReport::Sigma& row : report.sigma)
    table.rows.push_back({row.parameter, std::to_string(row.count), text(row.start_median), text(row.min),
                          text(row.median), text(row.max), fmt::format("{:.1f}", 100 * row.moved_frac)});
  const bool fold = table.rows.size() > kOpenRows;
  if (fold) page.begin_details(fmt::format("Standard deviations of {} parameters", table.rows.size()));
  page.table(table);
  if (fold) page.end_details();
}

}  // namespace

Curves read_curves(const RunDirectory& directory) {
  Curves curves;
  if (!directory.has(files::kMetrics)) return curves;
  const std::string text = read_file(directory.file(files::kMetrics), std::int64_t{1} << 30);
  if (std::count(text.begin(), text.end(), '\n') < 2) return curves;  // no epoch was finished
  io::CsvOptions options;
  options.delimiter = ',';
  options.header = io::CsvHeader::kYes;
  const io::CsvTable table = io::parse_csv(text, directory.file(files::kMetrics), options);
  for (std::size_t c = 0; c < table.columns(); ++c) {
    std::vector<double>& values = curves[table.header()[c]];
    for (std::size_t r = 0; r < table.rows(); ++r) values.push_back(parse_double(table.cell(r, c)).value_or(kNaN));
  }
  if (curves.count("epoch") == 0) curves.clear();
  return curves;
}

bool has_values(const Curves& curves, const std::string& column) {
  const auto found = curves.find(column);
  return found != curves.end() &&
         std::any_of(found->second.begin(), found->second.end(), [](double value) { return std::isfinite(value); });
}

void add_training(metrics::HtmlPage& page, const Curves& curves) {
  if (!has_values(curves, "epoch")) return;
  page.heading("Training");
  page.begin_figures();
  const bool score_matching = has_values(curves, "matching");
  add_plot(page, curves, {{"loss", "loss"}}, "Loss", "loss");
  if (score_matching)
    add_plot(page, curves, {{"matching", "score matching"}, {"proximal", "proximal"}}, "Terms of the loss", "term");
  else
    add_plot(page, curves, {{"nll", "data: NLL"}, {"kl_scaled", "prior: KL·τ/N"}}, "Terms of the loss", "nats per row");
  add_plot(page, curves, {{"nll", "training"}, {"val_nll", "validation"}}, "Negative log-likelihood", "NLL (nats)");
  add_plot(page, curves, {{"val_error", "error", 100}, {"val_ece", "ECE", 100}}, "Validation error and calibration",
           "%");
  add_plot(page, curves, {{"val_rmse", "RMSE"}}, "Validation RMSE", "RMSE");
  if (varies(curves, "lr")) add_plot(page, curves, {{"lr", "learning rate"}}, "Learning rate", "learning rate");
  page.end_figures();
  page.paragraph(std::string("Loss: what the optimiser minimises, mean over the steps of an epoch. ") +
                 (score_matching ? "Its terms: score matching ‖∇log q(θ) − ŝ(θ)‖² and proximal ‖∇log q(θ) − "
                                   "∇log q_t(θ)‖², which is zero with one inner step. "
                                 : "") +
                 "Training NLL is that of one weight draw, validation NLL that of the averaged prediction.");
}

void add_sigma(metrics::HtmlPage& page, const Curves& curves, const EvaluationReport& report) {
  const bool has_curves = has_values(curves, "sigma_p50");
  if (!has_curves && report.sigma.empty()) return;
  page.heading("Posterior");
  const double moved = moved_share(report);
  if (moved < kLearntShare)
    page.warning(
        fmt::format("The posterior did not learn: training moved only {:.1f} % of the standard deviations by more "
                    "than 1 %. The uncertainty below is the one it started from.",
                    100 * moved));
  if (has_curves)
    page.figure(sigma_plot(curves),
                "σ of all weights after each epoch. A weight that the data do not determine keeps the σ of the prior.");
  if (!report.sigma.empty()) add_sigma_table(page, report);
}

}  // namespace scorevi::run
