// Tables of runs: variants against metrics, averaged over seeds, with paired differences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/metrics/bootstrap.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// One finished run. `axes` and `values` are parallel to the lists of its table.
struct ResultRow {
  std::string variant;
  std::string seed;
  std::vector<std::string> axes;
  std::vector<metrics::Interval> values;  // NaN where the run has no such metric
  std::string split;                      // of the evaluation: "test"
  std::int64_t n = 0;                     // rows of that split
  std::int64_t samples = 0;               // weight samples, 0 = posterior mean
  std::int64_t ece_bins = 0;              // 0 = not known
  double evaluations = 0;                 // network evaluations in training; NaN = not known
  double seconds = 0;                     // training time; NaN = not known
  std::string path;
};

struct ResultTable {
  std::string title;
  std::vector<std::string> axes;     // key paths such as likelihood.temperature, without the seed
  std::vector<std::string> metrics;  // keys of report.json such as ece, error
  std::string baseline;              // variant of the paired differences; "" = none
  std::vector<ResultRow> rows;       // in the order in which variants and axis values are shown
  std::vector<std::string> notes;    // shown below the tables: failed members and the like
};

// The numbers of a run's test split. `error` is 1 - accuracy where the report has accuracy alone.
// Error(kData) when the run has no evaluation/report.json or it is damaged.
ResultRow read_result(const RunDirectory& directory, const std::vector<std::string>& metrics);

// Why a run has no numbers: "No result of NAME: interrupted, signal."
std::string no_result_note(const std::string& name, const std::string& folder);

// How a metric is written: "ECE %" with scale 100, "NLL" with scale 1.
struct MetricStyle {
  std::string title;
  double scale = 1;
  int better = -1;      // -1: lower is better, 1: higher, 0: neither (coverage)
  std::string meaning;  // one sentence; "" for a metric that metrics/definitions.h does not know
};
MetricStyle metric_style(const std::string& metric);

// A number and its 95 % limits. From several seeds: the mean and its Student t interval over the
// seeds. From one: the run's own bootstrap interval over the rows of its split.
struct SummaryCell {
  double value = metrics::ClassificationResult::kNaN;
  double low = metrics::ClassificationResult::kNaN;
  double high = metrics::ClassificationResult::kNaN;
  std::int64_t runs = 0;
  bool best = false;  // of its column in its block
};

struct SummaryRow {
  std::string variant;
  std::int64_t runs = 0;           // seeds, or pairs of seeds in a table of differences
  std::vector<SummaryCell> cells;  // one per metric
};

// All variants at one combination of axis values.
struct SummaryBlock {
  std::vector<std::string> axes;
  std::vector<SummaryRow> rows;
  std::vector<SummaryRow> differences;  // variant - baseline on common seeds, >= 2 of them
};

// Blocks, and rows in a block, in order of first appearance.
std::vector<SummaryBlock> summarise(const ResultTable& table);

// "5.61 ± 0.43", "5.61 [4.20, 7.12]" for one run, "–" for no number; scaled. Digits after the point
// are the same in a column: column_decimals.
std::string cell_text(const SummaryCell& cell, const MetricStyle& style, int decimals, bool difference);
int column_decimals(const std::vector<SummaryBlock>& blocks, std::size_t metric, const MetricStyle& style);

// "likelihood.temperature = 0.1, data.train_size = 300"; "" without axes.
std::string block_title(const ResultTable& table, const SummaryBlock& block);

// What the numbers mean: the intervals, the baseline, each metric; one sentence per item.
std::vector<std::string> table_legend(const ResultTable& table, const std::vector<SummaryBlock>& blocks);

// Everything as Markdown: per block the variants (best in bold) and the differences; notes.
std::string markdown_table(const ResultTable& table);

// The same as plain aligned text for a terminal.
std::string plain_table(const ResultTable& table);

// One row per run: variant, axes, seed, per metric value, low and high, then n, samples,
// evaluations, seconds, path.
void write_results_csv(const ResultTable& table, const std::string& path);

struct TableReportOptions {
  std::string figure_axis;    // one of the table's axes: figures against it, log scale; "" = none
  std::string figure_folder;  // SVG files go there; "" = none
};

// The tables and a figure per metric as one self-contained HTML file. Figures: against the axis with
// bands, otherwise a point with its interval per variant.
void write_table_report(const ResultTable& table, const std::string& path, const TableReportOptions& options);

}  // namespace scorevi::run
