#include "report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/suggest.h"
#include "scorevi/metrics/html.h"

namespace scorevi::bench {
namespace {

std::string show(double value) {
  if (std::isnan(value)) return "";
  if (value != 0 && std::abs(value) < 1e-12) return value > 0 ? "< 1e-12" : "> -1e-12";
  return fmt::format("{:.3g}", value);
}

// "median [quartile, quartile]", each as `text` writes it.
std::string show(const Quartiles& q, std::string (*text)(double)) {
  if (std::isnan(q.median)) return "";
  if (q.low == q.high || std::isinf(q.median)) return text(q.median);
  return fmt::format("{} [{}, {}]", text(q.median), text(q.low), text(q.high));
}

std::string show(const Quartiles& q) { return show(q, show); }

std::string outcome_of(const Cell& cell) {
  std::vector<std::string> parts;
  if (cell.finished > 0) parts.push_back(fmt::format("{} finished", cell.finished));
  if (cell.diverged > 0) parts.push_back(fmt::format("{} diverged", cell.diverged));
  if (cell.refused > 0) parts.push_back(fmt::format("{} refused", cell.refused));
  if (cell.failed > 0) parts.push_back(fmt::format("{} failed", cell.failed));
  return join(parts);
}

// A mode is covered by a q that has a tenth of its weight or more.
constexpr double kCoveredShare = 0.1;

int64_t covered_modes(const MemberResult& result, const std::vector<double>& weights) {
  if (!result.ended_well() || !result.has_points()) return 0;
  const std::vector<double>& shares = result.final().mode_shares;
  int64_t covered = 0;
  for (std::size_t k = 0; k < std::min(shares.size(), weights.size()); ++k)
    covered += shares[k] >= kCoveredShare * weights[k] ? 1 : 0;
  return covered;
}

std::string mode_text(const Cell& cell, const std::vector<double>& weights) {
  std::vector<double> counts;
  for (const MemberResult* result : cell.members)
    if (result->has_points() && !result->final().mode_shares.empty())
      counts.push_back(static_cast<double>(covered_modes(*result, weights)));
  if (counts.empty()) return "";
  const Quartiles q = quartiles(std::move(counts));
  return q.low == q.high ? fmt::format("{:g} of {}", q.median, weights.size())
                         : fmt::format("{:g} [{:g}, {:g}] of {}", q.median, q.low, q.high, weights.size());
}

// "0.42 0.58": of one member, for results.csv.
std::string share_text(const MemberResult& result) {
  if (!result.has_points()) return "";
  std::vector<std::string> shares;
  for (const double share : result.final().mode_shares) shares.push_back(fmt::format("{:.3f}", share));
  return join(shares, " ");
}

std::string count(double value) { return std::isinf(value) ? "never" : fmt::format("{:.0f}", value); }

std::string show_reached(const Quartiles& q) { return show(q, count); }

struct Column {
  std::string title;
  metrics::Best best;
  std::string (*text)(const Cell&);
  double (*value)(const Cell&);
};

const std::vector<Column>& columns() {
  using metrics::Best;
  static const std::vector<Column> kColumns = {
      {"mean error", Best::kLowest, [](const Cell& c) { return show(c.mean_error); },
       [](const Cell& c) { return c.mean_error.median; }},
      {"sd error", Best::kLowest, [](const Cell& c) { return show(c.sd_error); },
       [](const Cell& c) { return c.sd_error.median; }},
      {"KL(p, q)", Best::kLowest, [](const Cell& c) { return show(c.forward_kl); },
       [](const Cell& c) { return c.forward_kl.median; }},
      {"KL(q, p)", Best::kLowest, [](const Cell& c) { return show(c.reverse_kl); },
       [](const Cell& c) { return c.reverse_kl.median; }},
      {"ELBO", Best::kHighest, [](const Cell& c) { return show(c.elbo); }, [](const Cell& c) { return c.elbo.median; }},
      {"k-hat", Best::kLowest, [](const Cell& c) { return show(c.k_hat); },
       [](const Cell& c) { return c.k_hat.median; }},
      {"evaluations to reach", Best::kLowest, [](const Cell& c) { return show_reached(c.reached); },
       [](const Cell& c) { return c.reached.median; }},
      {"seconds to reach", Best::kNone,
       [](const Cell& c) { return std::isinf(c.reached_seconds.median) ? "" : show(c.reached_seconds.median); },
       [](const Cell& c) { return c.reached_seconds.median; }},
      {"evaluations", Best::kNone, [](const Cell& c) { return show_reached(c.evaluations); },
       [](const Cell& c) { return c.evaluations.median; }},
      {"seconds", Best::kNone, [](const Cell& c) { return show(c.seconds.median); },
       [](const Cell& c) { return c.seconds.median; }},
  };
  return kColumns;
}

std::string row_name(const BenchOptions& options, const Cell& cell) {
  const std::string label = label_of(options.methods[cell.method]);
  if (options.robustness.start_std.empty()) return label;
  return fmt::format("{}, sigma {:g}, rate x {:g}", label, cell.start_std, cell.rate_factor);
}

metrics::DataTable table_of(const BenchOptions& options, const TargetSummary& target) {
  metrics::DataTable table;
  table.columns.push_back({"method", false});
  std::vector<const Column*> shown;  // those with anything in them
  for (const Column& column : columns()) {
    const bool filled = std::any_of(target.cells.begin(), target.cells.end(),
                                    [&](const Cell& cell) { return !column.text(cell).empty(); });
    if (!filled) continue;
    shown.push_back(&column);
    table.columns.push_back({column.title, true, column.best});
  }
  if (!target.mode_weights.empty()) table.columns.push_back({"modes covered", false});
  table.columns.push_back({"members", false});
  for (const Cell& cell : target.cells) {
    std::vector<metrics::TableCell> row = {row_name(options, cell)};
    for (const Column* column : shown) row.emplace_back(column->text(cell), column->value(cell));
    if (!target.mode_weights.empty()) row.emplace_back(mode_text(cell, target.mode_weights));
    row.emplace_back(outcome_of(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string markdown(const metrics::DataTable& table) {
  std::string text = "|", rule = "|";
  for (const metrics::TableColumn& column : table.columns) {
    text += " " + column.name + " |";
    rule += column.number ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const metrics::TableCell& cell : row) text += " " + cell.text + " |";
    text += "\n";
  }
  return text;
}

std::string explanation(const BenchOptions& options) {
  return fmt::format(
      "{} seeds, {} score evaluations each (samplers and laplace: as many as they need); median [quartiles] over the "
      "seeds. Errors are 2-norms of the differences of means and of standard deviations in units of the target's. "
      "Reached: when both errors are below {:g} for the first time. KL and ELBO in nats.",
      options.seeds, options.evaluations, options.tolerance);
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.9g}", value); }

std::vector<std::string> measured(const Measurement& at) {
  std::vector<std::string> cells;
  for (const MeasurementColumn& column : kMeasurementColumns) cells.push_back(number(at.*column.value));
  return cells;
}

std::vector<std::string> measured_names() {
  std::vector<std::string> names;
  for (const MeasurementColumn& column : kMeasurementColumns) names.emplace_back(column.name);
  return names;
}

// Calls use(target, cell, result) for every member.
template <class Use>
void for_each_result(const std::vector<TargetSummary>& targets, Use&& use) {
  for (const TargetSummary& target : targets)
    for (const Cell& cell : target.cells)
      for (const MemberResult* result : cell.members) use(target, cell, *result);
}

std::string csv_line(const std::vector<std::string>& cells) {
  CsvRow row;
  for (const std::string& cell : cells) row.add(cell);
  return row.text() + "\n";
}

std::vector<std::string> with(std::vector<std::string> cells, const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::string results_csv(const BenchOptions& options, const std::vector<TargetSummary>& targets) {
  std::string text = csv_line(with({"member", "target", "method", "start_std", "rate_factor", "outcome", "evaluations",
                                    "seconds", "reached_evaluations", "reached_seconds", "mode_shares", "message"},
                                   measured_names()));
  for_each_result(targets, [&](const TargetSummary& target, const Cell& cell, const MemberResult& result) {
    const CurvePoint* at = reached(result, options.tolerance);
    text += csv_line(with(
        {result.id, target.name, label_of(options.methods[cell.method]), number(cell.start_std),
         number(cell.rate_factor), result.outcome, std::to_string(result.evaluations), number(result.seconds),
         at ? std::to_string(at->evaluations) : "", at ? number(at->seconds) : "", share_text(result), result.message},
        measured(result.has_points() ? result.final() : Measurement{})));
  });
  return text;
}

std::string curves_csv(const std::vector<TargetSummary>& targets) {
  std::string text = csv_line(with({"member", "evaluations", "seconds"}, measured_names()));
  for_each_result(targets, [&](const TargetSummary&, const Cell&, const MemberResult& result) {
    for (const CurvePoint& point : result.curve)
      text += csv_line(with({result.id, std::to_string(point.evaluations), number(point.seconds)}, measured(point.at)));
  });
  return text;
}

// Why methods were refused, diverged or failed, and what there is to say about those that finished: of each row the
// first message of every outcome.
std::vector<std::string> remarks(const BenchOptions& options, const TargetSummary& target) {
  std::vector<std::string> reasons;
  for (const Cell& cell : target.cells) {
    std::map<std::string, std::vector<std::string>> told;  // by outcome
    for (const MemberResult* result : cell.members)
      if (!result->message.empty()) told[result->outcome].push_back(result->message);
    for (const auto& [outcome, messages] : told)
      reasons.push_back(row_name(options, cell) + ": " + outcome + ": " + messages.front() +
                        (messages.size() > 1 ? fmt::format(" (the first of {} such seeds)", messages.size()) : ""));
  }
  return reasons;
}

void remove_figures(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".svg") std::filesystem::remove(entry.path());
}

}  // namespace

std::string tables_markdown(const BenchOptions& options, const std::vector<TargetSummary>& targets) {
  std::string text = "# " + options.name + "\n\n" + explanation(options) + "\n";
  for (const TargetSummary& target : targets) {
    text += "\n## " + target.name + "\n\n";
    if (!target.reference.empty()) text += "Reference: " + target.reference + ".\n\n";
    text += markdown(table_of(options, target));
    for (const std::string& reason : remarks(options, target)) text += "\n" + reason + "\n";
  }
  return text;
}

void write_report(const BenchOptions& options, const std::string& resolved, const std::vector<TargetSummary>& targets,
                  const std::string& folder) {
  make_folder(folder + "/figures");
  remove_figures(folder + "/figures");  // some may be of targets and methods that are no more
  metrics::HtmlPage page(options.name, "inference methods on targets with known answers");
  page.paragraph(explanation(options));
  for (const TargetSummary& target : targets) {
    page.heading(target.name);
    if (!target.reference.empty()) page.paragraph("Reference: " + target.reference + ".");
    page.table(table_of(options, target));
    for (const std::string& reason : remarks(options, target)) page.warning(reason);
    page.begin_figures();
    for (const Figure& figure : figures_of(options, target)) {
      write_file_atomic(folder + "/figures/" + figure.file, figure.svg);
      page.figure(figure.svg, figure.caption);
    }
    page.end_figures();
  }
  page.details("configuration", resolved);
  write_file_atomic(folder + "/table.md", tables_markdown(options, targets));
  write_file_atomic(folder + "/results.csv", results_csv(options, targets));
  write_file_atomic(folder + "/curves.csv", curves_csv(targets));
  write_file_atomic(folder + "/report.html", page.str());
}

}  // namespace scorevi::bench
