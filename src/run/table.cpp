#include "scorevi/run/table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "scorevi/metrics/definitions.h"
#include "scorevi/metrics/student_t.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;

using Rows = std::vector<const ResultRow*>;

// Rows in groups of equal key, groups in order of first appearance.
template <class Key>
std::vector<Rows> grouped(const Rows& rows, const Key& key) {
  std::vector<Rows> groups;
  std::map<decltype(key(*rows[0])), std::size_t> index;
  for (const ResultRow* row : rows) {
    const auto [found, added] = index.emplace(key(*row), groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(row);
  }
  return groups;
}

SummaryCell summary_of(const Rows& runs, std::size_t metric) {
  SummaryCell cell;
  std::vector<double> values;
  for (const ResultRow* row : runs)
    if (!std::isnan(row->values[metric].value)) values.push_back(row->values[metric].value);
  cell.runs = static_cast<std::int64_t>(values.size());
  if (values.empty()) return cell;
  if (values.size() == 1 && runs.size() == 1) {
    const metrics::Interval& own = runs[0]->values[metric];
    cell.value = own.value;
    cell.low = own.low;
    cell.high = own.high;
    return cell;
  }
  const metrics::MeanInterval mean = metrics::mean_interval(values);
  cell.value = mean.mean;
  cell.low = mean.low;
  cell.high = mean.high;
  return cell;
}

SummaryCell difference_of(const Rows& runs, const Rows& baseline, std::size_t metric) {
  std::vector<double> a, b;
  for (const ResultRow* row : runs) {
    const auto partner = std::find_if(baseline.begin(), baseline.end(),
                                      [&](const ResultRow* other) { return other->seed == row->seed; });
    if (partner == baseline.end()) continue;
    const double ours = row->values[metric].value, theirs = (*partner)->values[metric].value;
    if (std::isnan(ours) || std::isnan(theirs)) continue;
    a.push_back(ours);
    b.push_back(theirs);
  }
  SummaryCell cell;
  cell.runs = static_cast<std::int64_t>(a.size());
  if (a.size() < 2) return cell;
  const metrics::MeanInterval mean = metrics::paired_interval(a, b);
  cell.value = mean.mean;
  cell.low = mean.low;
  cell.high = mean.high;
  return cell;
}

void mark_best(SummaryBlock& block, std::size_t metric, int better) {
  double best = kNaN;
  for (const SummaryRow& row : block.rows) {
    const double value = row.cells[metric].value;
    if (std::isnan(value)) continue;
    if (std::isnan(best) || (better < 0 ? value < best : value > best)) best = value;
  }
  for (SummaryRow& row : block.rows)
    row.cells[metric].best = better != 0 && block.rows.size() > 1 && row.cells[metric].value == best;
}

SummaryBlock summarise_block(const ResultTable& table, const Rows& rows) {
  SummaryBlock block;
  block.axes = rows[0]->axes;
  const auto by_variant = grouped(rows, [](const ResultRow& row) { return row.variant; });
  const auto baseline = std::find_if(by_variant.begin(), by_variant.end(),
                                     [&](const Rows& runs) { return runs[0]->variant == table.baseline; });
  for (const Rows& runs : by_variant) {
    SummaryRow row, difference;
    row.variant = difference.variant = runs[0]->variant;
    row.runs = static_cast<std::int64_t>(runs.size());
    for (std::size_t metric = 0; metric < table.metrics.size(); ++metric) {
      row.cells.push_back(summary_of(runs, metric));
      if (baseline == by_variant.end()) continue;
      difference.cells.push_back(difference_of(runs, *baseline, metric));
      difference.runs = std::max(difference.runs, difference.cells.back().runs);
    }
    block.rows.push_back(row);
    if (row.variant != table.baseline && difference.runs >= 2) block.differences.push_back(difference);
  }
  for (std::size_t metric = 0; metric < table.metrics.size(); ++metric)
    mark_best(block, metric, metric_style(table.metrics[metric]).better);
  return block;
}

}  // namespace

std::vector<SummaryBlock> summarise(const ResultTable& table) {
  Rows rows;
  for (const ResultRow& row : table.rows) rows.push_back(&row);
  std::vector<SummaryBlock> blocks;
  if (rows.empty()) return blocks;
  for (const Rows& group : grouped(rows, [](const ResultRow& row) { return row.axes; }))
    blocks.push_back(summarise_block(table, group));
  return blocks;
}

MetricStyle metric_style(const std::string& metric) {
  MetricStyle style;
  style.title = metric;
  const metrics::MetricDefinition* definition = metrics::find_metric(metric);
  if (definition == nullptr) return style;
  const bool fraction = definition->unit == "fraction";
  style.title = std::string(definition->name) + (fraction ? " %" : "");
  style.scale = fraction ? 100 : 1;
  style.better = definition->better;
  style.meaning = definition->definition;
  return style;
}

}  // namespace scorevi::run
