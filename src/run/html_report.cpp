#include "scorevi/run/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html_report_parts.h"
#include "scorevi/config/document.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/numbers.h"
#include "scorevi/metrics/reliability_plot.h"
#include "scorevi/run/table.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr std::int64_t kMaxConfigBytes = 1 << 20;

std::string number_text(double value, const MetricStyle& style) {
  if (!std::isfinite(value)) return "–";
  return style.scale == 100 ? fmt::format("{:.2f}", 100 * value) : fmt::format("{:.4g}", value);
}

void add_headline(metrics::HtmlPage& page, const EvaluationReport& report) {
  metrics::DataTable table;
  table.columns = {{"", false}, {"value"}, {"95 % interval"}, {"meaning", false}};
  table.caption = "Intervals: percentile bootstrap over the rows of the split.";
  if (report.bins.total() > 0)
    table.caption += " That of an ECE can lie above its value: resampled rows add noise to every bin.";
  for (const auto& [key, interval] : report.values) {
    MetricStyle style = metric_style(key);
    if (key == "ece" || key == "mce") style.title += fmt::format(" ({} bins)", report.ece_bins);
    table.rows.push_back({style.title, number_text(interval.value, style),
                          std::isfinite(interval.low)
                              ? number_text(interval.low, style) + " to " + number_text(interval.high, style)
                              : "",
                          style.meaning});
  }
  page.table(table);
  const double gap = confidence_gap(report);
  if (std::isfinite(gap))
    page.paragraph("The predictions are " + metrics::describe_gap(gap) +
                   ": mean confidence against accuracy over all rows.");
  const double rmse = value_of(report, "rmse"), r2 = value_of(report, "r2");
  if (r2 < 1)
    page.paragraph(fmt::format("Predicting the mean of these targets every time would have an RMSE of {:.4g}.",
                               rmse / std::sqrt(1 - r2)));
  if (report.temperature > 0)
    page.paragraph(
        fmt::format("Temperature scaling fitted on the validation split: T = {:.3f}. After scaling, NLL {:.4g} and ECE "
                    "{:.2f} % ({} bins) on this split.",
                    report.temperature, report.temperature_nll, 100 * report.temperature_ece, report.ece_bins));
  if (report.nll_clamped > 0)
    page.warning(fmt::format(
        "{} rows had probability 0 for their class; it was raised to the smallest normal number for the NLL.",
        report.nll_clamped));
}

// "data.validation_frac" of the resolved configuration, "" when it is not there.
std::string setting(const config::Node& root, const std::string& section, const std::string& key) {
  const config::Node* node = root.find(section);
  if (node != nullptr && node->kind == config::Node::Kind::kMap) node = node->find(key);
  return node != nullptr && node->kind == config::Node::Kind::kScalar ? node->text : "";
}

AdviceContext context_of(const RunDirectory& directory, const Curves& curves) {
  AdviceContext context;
  if (directory.has(files::kResolved)) {
    const config::Document document = config::Document::from_file(directory.file(files::kResolved));
    context.method = setting(document.root(), "method", "name");
    context.temperature = parse_double(setting(document.root(), "likelihood", "temperature")).value_or(1);
    context.fixed_noise = setting(document.root(), "likelihood", "noise") == "fixed";
    if (setting(document.root(), "method", "solver") == "closed_form")
      context.beta = parse_double(setting(document.root(), "method", "beta")).value_or(0);
    context.stops_early = parse_double(setting(document.root(), "train", "patience")).value_or(0) > 0;
  }
  const nlohmann::json info = directory.info();
  context.steps = info.value("steps", int64_t{0});
  context.refused_steps = info.value("refused_steps", int64_t{0});
  if (curves.count("epoch") > 0 && !curves.at("epoch").empty()) context.last_epoch = curves.at("epoch").back();
  context.has_validation = has_values(curves, "val_nll");
  context.best_epoch = kNaN;
  if (!context.has_validation) return context;
  const std::vector<double>& epochs = curves.at("epoch");
  const std::vector<double>& nll = curves.at("val_nll");
  double lowest = INFINITY;
  for (std::size_t i = 0; i < nll.size(); ++i) {
    if (!(nll[i] < lowest)) continue;
    lowest = nll[i];
    context.best_epoch = epochs[i];
  }
  return context;
}

void add_origin(metrics::HtmlPage& page, const RunDirectory& directory) {
  page.heading("Configuration and versions");
  std::vector<std::pair<std::string, std::string>> rows;
  const nlohmann::json info = directory.info();
  for (const auto& [key, value] : info.items()) {
    if (key == "status" || key == "reason") continue;  // the report is written just before the run is finished
    if (value.is_object())
      for (const auto& [inner, item] : value.items())
        rows.emplace_back(key + "." + inner, item.is_string() ? item.get<std::string>() : item.dump());
    else
      rows.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (!rows.empty()) page.key_values(rows);
  if (directory.has(files::kResolved))
    page.details("Complete configuration (config.resolved.yaml)",
                 read_file(directory.file(files::kResolved), kMaxConfigBytes));
}

std::string subtitle(const EvaluationReport& report) {
  std::string text = fmt::format("{}, {} split, n = {}, ", report.method, report.split, report.n);
  text += report.samples > 0 ? fmt::format("{} weight samples", report.samples) : std::string("posterior mean");
  if (!report.checkpoint.empty()) text += ", checkpoint " + report.checkpoint;
  return text + (report.selection.empty() ? "" : " (" + report.selection + ")");
}

}  // namespace

AdviceContext advice_context(const RunDirectory& directory) { return context_of(directory, read_curves(directory)); }

void write_html_report(const RunDirectory& directory, const EvaluationReport& report, const std::string& path) {
  const Curves curves = read_curves(directory);
  metrics::HtmlPage page(report.run, subtitle(report));
  add_headline(page, report);
  page.heading("What to try next");
  for (const std::string& line : advice(report, context_of(directory, curves))) page.paragraph(line);
  add_training(page, curves);
  add_sigma(page, curves, report);
  add_calibration(page, report);
  add_values(page, report);
  add_mistakes(page, report);
  add_origin(page, directory);
  write_file_atomic(path, page.str());
}

}  // namespace scorevi::run
