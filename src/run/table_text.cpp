// Tables as Markdown, aligned text and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/suggest.h"
#include "scorevi/run/table.h"

namespace scorevi::run {
namespace {

const char kNothing[] = "–";
constexpr double kLeastSpread = 1e-9;  // of the mean; below it is rounding

bool has_interval(const SummaryCell& cell) { return std::isfinite(cell.low) && std::isfinite(cell.high); }

// The cells of one printed table; the first row is the header.
using Grid = std::vector<std::vector<std::string>>;

enum class Emphasis { kMarkdown, kPlain };

struct Column {
  MetricStyle style;
  int decimals;
};

std::vector<Column> columns_of(const ResultTable& table, const std::vector<SummaryBlock>& blocks) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.metrics.size(); ++i) {
    const MetricStyle style = metric_style(table.metrics[i]);
    columns.push_back({style, column_decimals(blocks, i, style)});
  }
  return columns;
}

Grid grid_of(const std::vector<SummaryRow>& rows, const std::vector<Column>& columns, bool difference,
             Emphasis emphasis) {
  Grid grid(1);
  grid[0].push_back(difference ? "difference" : "method");
  for (const Column& column : columns) grid[0].push_back(column.style.title);
  grid[0].push_back(difference ? "pairs" : "seeds");
  for (const SummaryRow& row : rows) {
    std::vector<std::string> line = {row.variant};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SummaryCell& cell = row.cells[i];
      std::string text = cell_text(cell, columns[i].style, columns[i].decimals, difference);
      if (cell.best)
        text = emphasis == Emphasis::kMarkdown ? "**" + text + "**" : text + " <";
      else if (emphasis == Emphasis::kPlain && !difference)
        text += "  ";
      line.push_back(text);
    }
    line.push_back(std::to_string(row.runs));
    grid.push_back(line);
  }
  return grid;
}

std::string markdown(const Grid& grid) {
  std::string text;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    text += "|";
    for (const std::string& cell : grid[i]) text += " " + cell + " |";
    text += "\n";
    if (i > 0) continue;
    text += "|---|";
    for (std::size_t c = 1; c < grid[0].size(); ++c) text += "---:|";
    text += "\n";
  }
  return text;
}

// Characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string aligned(const Grid& grid) {
  std::vector<std::size_t> widths(grid[0].size());
  for (const auto& line : grid)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  std::string text;
  for (const auto& line : grid) {
    text += "  ";
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string space(widths[c] - width_of(line[c]), ' ');
      text += (c == 0 ? line[c] + space : "  " + space + line[c]);
    }
    text += "\n";
  }
  return text;
}

// "Evaluated on the test split, n = 897."; all kinds where the runs differ.
std::string evaluated_on(const ResultTable& table) {
  std::vector<std::string> kinds;
  for (const ResultRow& row : table.rows) {
    const std::string kind = fmt::format("the {} split, n = {}", row.split, row.n);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return "Evaluated on " + join(kinds, "; ") + (kinds.size() > 1 ? ": not all on the same rows." : ".");
}

}  // namespace

std::string cell_text(const SummaryCell& cell, const MetricStyle& style, int decimals, bool difference) {
  if (!std::isfinite(cell.value)) return kNothing;
  std::string value = difference ? fmt::format("{:+.{}f}", cell.value * style.scale, decimals)
                                 : fmt::format("{:.{}f}", cell.value * style.scale, decimals);
  if (!has_interval(cell)) return value;
  if (cell.runs == 1)
    return fmt::format("{} [{:.{}f}, {:.{}f}]", value, cell.low * style.scale, decimals, cell.high * style.scale,
                       decimals);
  const double half_width = 0.5 * (cell.high - cell.low) * style.scale;
  // Differences that are all the same say nothing about the spread between seeds.
  const bool spread = half_width > kLeastSpread * std::abs(cell.value * style.scale);
  const bool clear = difference && spread && (cell.low > 0 || cell.high < 0);
  return fmt::format("{} ± {:.{}f}{}", value, half_width, decimals, clear ? " *" : "");
}

int column_decimals(const std::vector<SummaryBlock>& blocks, std::size_t metric, const MetricStyle& style) {
  if (style.scale == 100) return 2;
  double smallest = INFINITY;
  for (const SummaryBlock& block : blocks)
    for (const SummaryRow& row : block.rows) {
      const double size = std::abs(row.cells[metric].value);
      if (std::isfinite(size) && size > 0) smallest = std::min(smallest, size);
    }
  if (!std::isfinite(smallest)) return 3;
  // Three figures of the smallest number.
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(smallest))), 0, 6);
}

std::string block_title(const ResultTable& table, const SummaryBlock& block) {
  std::string text;
  for (std::size_t i = 0; i < table.axes.size(); ++i)
    text += (i > 0 ? ", " : "") + table.axes[i] + " = " + block.axes[i];
  return text;
}

std::vector<std::string> table_legend(const ResultTable& table, const std::vector<SummaryBlock>& blocks) {
  bool several = false, single = false, differences = false;
  for (const SummaryBlock& block : blocks) {
    differences |= !block.differences.empty();
    for (const SummaryRow& row : block.rows) (row.runs > 1 ? several : single) = true;
  }
  std::vector<std::string> legend;
  if (several) legend.push_back("a ± b: mean over seeds and half width of its 95 % Student t interval.");
  if (single) legend.push_back("a [b, c]: one run with its 95 % bootstrap interval over the evaluated rows.");
  if (differences)
    legend.push_back("Differences: method minus " + table.baseline +
                     " on the same seeds, mean and half width of the 95 % t interval; * the interval "
                     "excludes 0.");
  if (!table.baseline.empty() && !differences && !table.rows.empty())
    legend.push_back("No differences to " + table.baseline + ": they need two seeds or more that both methods have.");
  if (!table.rows.empty()) legend.push_back(evaluated_on(table));
  for (const std::string& metric : table.metrics) {
    const MetricStyle style = metric_style(metric);
    if (style.meaning.empty()) continue;
    const bool binned = (metric == "ece" || metric == "mce") && !table.rows.empty() && table.rows[0].ece_bins > 0;
    legend.push_back(style.title + ": " + style.meaning +
                     (binned ? fmt::format(" {} bins.", table.rows[0].ece_bins) : ""));
  }
  return legend;
}

std::string markdown_table(const ResultTable& table) {
  const std::vector<SummaryBlock> blocks = summarise(table);
  const std::vector<Column> columns = columns_of(table, blocks);
  std::string text = "# " + table.title + "\n";
  for (const SummaryBlock& block : blocks) {
    if (!table.axes.empty()) text += "\n## " + block_title(table, block) + "\n";
    text += "\n" + markdown(grid_of(block.rows, columns, false, Emphasis::kMarkdown));
    if (block.differences.empty()) continue;
    text += "\nDifference to " + table.baseline + " on the same seeds:\n\n" +
            markdown(grid_of(block.differences, columns, true, Emphasis::kMarkdown));
  }
  text += "\n";
  for (const std::string& line : table_legend(table, blocks)) text += "- " + line + "\n";
  for (const std::string& note : table.notes) text += "- " + note + "\n";
  return text;
}

std::string plain_table(const ResultTable& table) {
  const std::vector<SummaryBlock> blocks = summarise(table);
  const std::vector<Column> columns = columns_of(table, blocks);
  std::string text = table.title + "\n";
  for (const SummaryBlock& block : blocks) {
    if (!table.axes.empty()) text += "\n" + block_title(table, block) + "\n";
    text += "\n" + aligned(grid_of(block.rows, columns, false, Emphasis::kPlain));
    if (block.differences.empty()) continue;
    text += "\n  Difference to " + table.baseline + " on the same seeds\n" +
            aligned(grid_of(block.differences, columns, true, Emphasis::kPlain));
  }
  text += "\n";
  for (const std::string& line : table_legend(table, blocks)) text += line + "\n";
  if (!table.rows.empty()) text += "< best of its column.\n";
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

void write_results_csv(const ResultTable& table, const std::string& path) {
  std::vector<std::string> header = {"variant"};
  header.insert(header.end(), table.axes.begin(), table.axes.end());
  header.push_back("seed");
  for (const std::string& metric : table.metrics)
    for (const char* suffix : {"", "_low", "_high"}) header.push_back(metric + suffix);
  for (const char* name : {"split", "n", "samples", "evaluations", "seconds", "path"}) header.push_back(name);

  CsvRow names;
  for (const std::string& name : header) names.add(name);
  std::string text = names.text() + "\n";
  for (const ResultRow& row : table.rows) {
    CsvRow line;
    line.add(row.variant);
    for (const std::string& value : row.axes) line.add(value);
    line.add(row.seed);
    for (const metrics::Interval& interval : row.values) line.add(interval.value).add(interval.low).add(interval.high);
    line.add(row.split).add(row.n).add(row.samples).add(row.evaluations).add(row.seconds).add(row.path);
    text += line.text() + "\n";
  }
  write_file_atomic(path, text);
}

}  // namespace scorevi::run
