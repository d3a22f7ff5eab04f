// Tables and figures of several runs as one HTML file.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/numbers.h"
#include "scorevi/metrics/charts.h"
#include "scorevi/metrics/html.h"
#include "scorevi/metrics/line_plot.h"
#include "scorevi/run/table.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr std::size_t kMostBands = 3;  // more overlap too much: bars instead

struct Figure {
  std::string name;  // of the file, without .svg
  std::string svg;
};

// Characters that are safe in a file name.
std::string file_name(const std::string& text) {
  std::string name = text;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '=' && c != '-') c = '-';
  return name;
}

std::string figure_name(const ResultTable& table, const std::string& metric, const std::vector<std::string>& axes,
                        std::size_t skipped) {
  std::string name = metric;
  for (std::size_t i = 0; i < table.axes.size(); ++i)
    if (i != skipped) name += "__" + table.axes[i] + "=" + axes[i];
  return file_name(name);
}

std::string other_axes_title(const ResultTable& table, const std::vector<std::string>& axes, std::size_t skipped) {
  std::string text;
  for (std::size_t i = 0; i < table.axes.size(); ++i)
    if (i != skipped) text += (text.empty() ? "" : ", ") + table.axes[i] + " = " + axes[i];
  return text;
}

// Blocks that differ in one axis only, at the same values of the others.
using BlockGroup = std::vector<const SummaryBlock*>;

std::vector<BlockGroup> groups_along(const std::vector<SummaryBlock>& blocks, std::size_t axis) {
  std::vector<BlockGroup> groups;
  std::map<std::vector<std::string>, std::size_t> index;
  for (const SummaryBlock& block : blocks) {
    std::vector<std::string> others = block.axes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto [found, added] = index.emplace(others, groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(&block);
  }
  return groups;
}

std::vector<metrics::Series> series_along(const BlockGroup& group, std::size_t axis, std::size_t metric, double scale) {
  std::vector<metrics::Series> all;
  std::map<std::string, std::size_t> index;
  for (const SummaryBlock* block : group)
    for (const SummaryRow& row : block->rows) {
      const auto [found, added] = index.emplace(row.variant, all.size());
      if (added) {
        all.emplace_back();
        all.back().name = row.variant;
      }
      metrics::Series& series = all[found->second];
      const SummaryCell& cell = row.cells[metric];
      series.x.push_back(parse_double(block->axes[axis]).value_or(kNaN));
      series.y.push_back(cell.value * scale);
      series.low.push_back(cell.low * scale);
      series.high.push_back(cell.high * scale);
    }
  for (metrics::Series& series : all) series.error_bars = all.size() > kMostBands;
  return all;
}

std::vector<Figure> figures_along(const ResultTable& table, const std::vector<SummaryBlock>& blocks, std::size_t axis) {
  std::vector<Figure> figures;
  for (const BlockGroup& group : groups_along(blocks, axis))
    for (std::size_t metric = 0; metric < table.metrics.size(); ++metric) {
      const MetricStyle style = metric_style(table.metrics[metric]);
      const std::string others = other_axes_title(table, group[0]->axes, axis);
      metrics::PlotOptions options;
      options.title = style.title + " against " + table.axes[axis] + (others.empty() ? "" : " (" + others + ")");
      options.x.label = table.axes[axis];
      options.x.log = true;
      options.y.label = style.title;
      figures.push_back({figure_name(table, table.metrics[metric], group[0]->axes, axis),
                         metrics::line_plot(series_along(group, axis, metric, style.scale), options)});
    }
  return figures;
}

std::vector<Figure> interval_figures(const ResultTable& table, const std::vector<SummaryBlock>& blocks,
                                     const SummaryBlock& block) {
  std::vector<Figure> figures;
  for (std::size_t metric = 0; metric < table.metrics.size(); ++metric) {
    const MetricStyle style = metric_style(table.metrics[metric]);
    std::vector<metrics::IntervalRow> rows;
    for (const SummaryRow& row : block.rows) {
      const SummaryCell& cell = row.cells[metric];
      rows.push_back({row.variant, {cell.value * style.scale, cell.low * style.scale, cell.high * style.scale}});
    }
    metrics::IntervalPlotOptions options;
    options.title = style.title;
    options.x.label = style.title;
    options.decimals = column_decimals(blocks, metric, style);
    figures.push_back({figure_name(table, table.metrics[metric], block.axes, table.axes.size()),
                       metrics::interval_plot(rows, options)});
  }
  return figures;
}

metrics::DataTable data_table(const ResultTable& table, const std::vector<SummaryBlock>& blocks,
                              const std::vector<SummaryRow>& rows, bool difference) {
  metrics::DataTable result;
  result.columns.push_back({difference ? "difference" : "method", false, metrics::Best::kNone});
  for (const std::string& name : table.metrics) {
    const MetricStyle style = metric_style(name);
    const metrics::Best best = difference || style.better == 0 || rows.size() < 2 ? metrics::Best::kNone
                               : style.better < 0                                 ? metrics::Best::kLowest
                                                                                  : metrics::Best::kHighest;
    result.columns.push_back({style.title, true, best});
  }
  result.columns.push_back({difference ? "pairs" : "seeds", true, metrics::Best::kNone});
  for (const SummaryRow& row : rows) {
    std::vector<metrics::TableCell> cells = {row.variant};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const MetricStyle style = metric_style(table.metrics[i]);
      cells.emplace_back(cell_text(row.cells[i], style, column_decimals(blocks, i, style), difference),
                         row.cells[i].value);
    }
    cells.emplace_back(std::to_string(row.runs));
    result.rows.push_back(cells);
  }
  return result;
}

// The figure axis as an index of table.axes, when its values are numbers that a log scale can show.
std::optional<std::size_t> figure_axis(const ResultTable& table, const std::string& key) {
  const auto found = std::find(table.axes.begin(), table.axes.end(), key);
  if (found == table.axes.end()) return std::nullopt;
  const std::size_t axis = static_cast<std::size_t>(found - table.axes.begin());
  for (const ResultRow& row : table.rows)
    if (!(parse_double(row.axes[axis]).value_or(0) > 0)) return std::nullopt;
  return axis;
}

void save(const std::vector<Figure>& figures, const std::string& folder) {
  if (folder.empty() || figures.empty()) return;
  make_folder(folder);
  for (const Figure& figure : figures) write_file_atomic(folder + "/" + figure.name + ".svg", figure.svg);
}

void show(metrics::HtmlPage& page, const std::vector<Figure>& figures) {
  page.begin_figures();
  for (const Figure& figure : figures) page.figure(figure.svg);
  page.end_figures();
}

// A path as a URL: what is neither a letter nor a digit nor one of -._~/= is written as %XX.
std::string url_of(const std::string& path) {
  std::string url;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/=").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

// The report of a run as seen from the folder of this one; "" where there is none.
std::string report_link(const std::string& run, const std::string& folder) {
  const std::filesystem::path report = std::filesystem::path(run) / "evaluation/report.html";
  std::error_code code;
  if (!std::filesystem::is_regular_file(report, code)) return "";
  const std::filesystem::path from = std::filesystem::absolute(folder.empty() ? "." : folder, code);
  return url_of(std::filesystem::absolute(report, code).lexically_relative(from.lexically_normal()).string());
}

std::vector<std::string> next_steps(const ResultTable& table, const std::vector<SummaryBlock>& blocks) {
  constexpr std::int64_t kEnoughSeeds = 5;
  std::vector<std::string> lines;
  std::int64_t fewest = kEnoughSeeds;
  for (const SummaryBlock& block : blocks)
    for (const SummaryRow& row : block.rows) fewest = std::min(fewest, row.runs);
  if (fewest < kEnoughSeeds)
    lines.push_back(
        fmt::format("{} little about the spread between seeds: compare over five or more, in a sweep "
                    "with -s 'grid.seed=[0, 1, 2, 3, 4]'.",
                    fewest == 1 ? "One seed says" : fmt::format("{} seeds say", fewest)));
  if (table.baseline.empty() && table.rows.size() > 1)
    lines.push_back("Name a baseline (key or option baseline) to see paired differences on the same seeds.");
  lines.push_back("The report of each run, linked below, says what to try for it.");
  return lines;
}

metrics::DataTable run_list(const ResultTable& table, const std::string& folder) {
  metrics::DataTable list;
  for (const char* name : {"method", "seed"}) list.columns.push_back({name, false, metrics::Best::kNone});
  for (const std::string& axis : table.axes) list.columns.push_back({axis, false, metrics::Best::kNone});
  for (const std::string& metric : table.metrics)
    list.columns.push_back({metric_style(metric).title, true, metrics::Best::kNone});
  list.columns.push_back({"folder", false, metrics::Best::kNone});
  for (const ResultRow& row : table.rows) {
    std::vector<metrics::TableCell> cells = {row.variant, row.seed};
    for (const std::string& value : row.axes) cells.emplace_back(value);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const MetricStyle style = metric_style(table.metrics[i]);
      SummaryCell cell;
      cell.value = row.values[i].value;
      cells.emplace_back(cell_text(cell, style, style.scale == 100 ? 2 : 4, false));
    }
    metrics::TableCell path = row.path;
    path.link = report_link(row.path, folder);
    cells.push_back(std::move(path));
    list.rows.push_back(cells);
  }
  return list;
}

}  // namespace

void write_table_report(const ResultTable& table, const std::string& path, const TableReportOptions& options) {
  const std::vector<SummaryBlock> blocks = summarise(table);
  metrics::HtmlPage page(table.title, "Comparison of " + std::to_string(table.rows.size()) + " runs");
  const std::optional<std::size_t> axis = figure_axis(table, options.figure_axis);
  if (axis) {
    page.heading("Figures");
    const std::vector<Figure> figures = figures_along(table, blocks, *axis);
    save(figures, options.figure_folder);
    show(page, figures);
  }
  for (const SummaryBlock& block : blocks) {
    page.heading(table.axes.empty() ? "Results" : block_title(table, block));
    page.table(data_table(table, blocks, block.rows, false));
    if (!block.differences.empty()) {
      page.heading("Difference to " + table.baseline + " on the same seeds", 3);
      page.table(data_table(table, blocks, block.differences, true));
    }
    if (axis) continue;
    const std::vector<Figure> figures = interval_figures(table, blocks, block);
    save(figures, options.figure_folder);
    show(page, figures);
  }
  for (const std::string& note : table.notes) page.warning(note);
  page.heading("What the numbers mean");
  for (const std::string& line : table_legend(table, blocks)) page.paragraph(line);
  page.heading("What to try next");
  for (const std::string& line : next_steps(table, blocks)) page.paragraph(line);
  page.heading("Runs");
  page.table(run_list(table, std::filesystem::path(path).parent_path().string()));
  write_file_atomic(path, page.str());
}

}  // namespace scorevi::run
