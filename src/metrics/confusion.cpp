#include "scorevi/metrics/confusion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace scorevi::metrics {

std::vector<std::int64_t> confusion_counts(const ClassificationRecords& records, int classes) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes) * classes, 0);
  for (std::size_t i = 0; i < records.size(); ++i)
    ++counts[static_cast<std::size_t>(records.target[i]) * classes + records.predicted[i]];
  return counts;
}

std::vector<ConfusedPair> most_confused(const ClassificationRecords& records, int classes, std::size_t limit) {
  const std::vector<std::int64_t> counts = confusion_counts(records, classes);
  std::vector<ConfusedPair> pairs;
  for (int t = 0; t < classes; ++t) {
    const auto row = counts.begin() + static_cast<std::ptrdiff_t>(t) * classes;
    const auto total = static_cast<double>(std::accumulate(row, row + classes, std::int64_t{0}));
    for (int p = 0; p < classes; ++p) {
      if (p == t || row[p] == 0) continue;
      pairs.push_back({t, p, row[p], static_cast<double>(row[p]) / total});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ConfusedPair& a, const ConfusedPair& b) { return a.count > b.count; });
  if (pairs.size() > limit) pairs.resize(limit);
  return pairs;
}

std::vector<std::size_t> largest(const std::vector<double>& values, std::size_t limit) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (std::isnan(values[a])) return false;
    return std::isnan(values[b]) || values[a] > values[b];
  });
  if (order.size() > limit) order.resize(limit);
  return order;
}

}  // namespace scorevi::metrics
