// Who is taken for whom: confusion counts from the records of classification.h.
#pragma once

#include <cstdint>
#include <vector>

#include "scorevi/metrics/classification.h"

namespace scorevi::metrics {

// counts[target * classes + predicted], C*C entries.
std::vector<std::int64_t> confusion_counts(const ClassificationRecords& records, int classes);

struct ConfusedPair {
  int target = 0;
  int predicted = 0;
  std::int64_t count = 0;
  double share = 0.0;  // of the samples with this target
};

// The off-diagonal pairs with the most samples, at most `limit`, most frequent first (ties: lower
// target, then lower prediction first); pairs without a sample are left out.
std::vector<ConfusedPair> most_confused(const ClassificationRecords& records, int classes, std::size_t limit);

// Indices of the samples with the largest value (entropy, say), largest first, ties in sample
// order; NaN last.
std::vector<std::size_t> largest(const std::vector<double>& values, std::size_t limit);

}  // namespace scorevi::metrics
