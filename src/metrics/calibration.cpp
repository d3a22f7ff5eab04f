#include "scorevi/metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where v falls when the bins are about equally wide; the caller corrects by the exact edges.
int first_guess(double v, int bins) {
  if (!(v > 0.0)) return 0;
  return v >= 1.0 ? bins - 1 : std::min(static_cast<int>(v * bins), bins - 1);
}

}  // namespace

std::int64_t BinTable::total() const { return std::accumulate(count.begin(), count.end(), std::int64_t{0}); }

double BinTable::mean_confidence(int bin) const {
  return count[bin] == 0 ? kNaN : confidence_sum[bin] / static_cast<double>(count[bin]);
}

double BinTable::accuracy(int bin) const {
  return count[bin] == 0 ? kNaN : correct_sum[bin] / static_cast<double>(count[bin]);
}

double expected_calibration_error(const BinTable& table) {
  const std::int64_t total = table.total();
  if (total == 0) return kNaN;
  double sum = 0.0;
  for (int b = 0; b < table.size(); ++b) {
    if (table.count[b] == 0) continue;
    sum += std::abs(table.correct_sum[b] - table.confidence_sum[b]);  // n_b |acc - conf|
  }
  return sum / static_cast<double>(total);
}

double max_calibration_error(const BinTable& table) {
  double worst = kNaN;
  for (int b = 0; b < table.size(); ++b) {
    if (table.count[b] == 0) continue;
    worst = std::fmax(worst, std::abs(table.accuracy(b) - table.mean_confidence(b)));
  }
  return worst;
}

EqualWidthBins::EqualWidthBins(int bins) : upper_(bins) {
  SCOREVI_CHECK_OP(bins, >=, 1);
  for (int b = 0; b < bins; ++b) upper_[b] = static_cast<double>(b + 1) / bins;
}

int EqualWidthBins::index(double v) const {
  int b = first_guess(v, size());
  while (b > 0 && v <= upper_[b - 1]) --b;
  while (b + 1 < size() && v > upper_[b]) ++b;
  return b;
}

PooledBins::PooledBins(int bins) : right_(bins) {
  SCOREVI_CHECK_OP(bins, >=, 1);
  for (int b = 1; b < bins; ++b) right_[b - 1] = b * (1.0 + 1e-8) / bins;
  right_[bins - 1] = 1.0 + 1e-8;
}

int PooledBins::index(double v) const {
  int b = first_guess(v, size());
  while (b > 0 && v < right_[b - 1]) --b;
  while (b + 1 < size() && v >= right_[b]) ++b;
  return b;
}

BinTable adaptive_bins(const std::vector<double>& confidence, const std::vector<std::uint8_t>& correct, int bins) {
  SCOREVI_CHECK_OP(confidence.size(), ==, correct.size());
  const std::size_t n = confidence.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return confidence[a] < confidence[b]; });
  BinTable table(bins);
  for (int b = 0; b < bins; ++b) {
    for (std::size_t i = b * n / bins; i < (b + 1) * n / bins; ++i)
      table.add(b, confidence[order[i]], correct[order[i]]);
  }
  return table;
}

}  // namespace scorevi::metrics
