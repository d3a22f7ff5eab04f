// Calibration bins: which bin a confidence belongs to, and the errors read off a table of bins.
//
// Equal-width rule with B bins: value v goes into the smallest b with v <= (b+1)/B, so bins are
// (lo, hi], 0 belongs to bin 0 and exactly 1 to the last bin. The edge (b+1)/B is one rounded
// double division. Pooled rule (BayesDLL, Kim and Hospedales 2023): right edges b(1+1e-8)/B, bins
// [lo, hi).
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::metrics {

// Sums per bin. Empty bins have count 0; their means are NaN and they weigh nothing.
struct BinTable {
  std::vector<std::int64_t> count;
  std::vector<double> confidence_sum;
  std::vector<double> correct_sum;

  BinTable() = default;
  explicit BinTable(int bins) : count(bins), confidence_sum(bins), correct_sum(bins) {}

  int size() const { return static_cast<int>(count.size()); }
  void add(int bin, double confidence, double correct) {
    ++count[bin];
    confidence_sum[bin] += confidence;
    correct_sum[bin] += correct;
  }
  std::int64_t total() const;
  double mean_confidence(int bin) const;  // NaN in an empty bin
  double accuracy(int bin) const;         // NaN in an empty bin
};

// ECE = sum_b (n_b / N) |accuracy_b - mean confidence_b|; NaN for an empty table.
double expected_calibration_error(const BinTable& table);

// MCE = max over non-empty bins of |accuracy_b - mean confidence_b|; NaN for an empty table.
double max_calibration_error(const BinTable& table);

// Bins of the equal-width rule above. Values above 1 (rounding) go to the last bin.
class EqualWidthBins {
 public:
  explicit EqualWidthBins(int bins);
  int size() const { return static_cast<int>(upper_.size()); }
  int index(double v) const;

 private:
  std::vector<double> upper_;  // (b+1)/B
};

// Bins of the pooled rule: index = number of right edges <= v.
class PooledBins {
 public:
  explicit PooledBins(int bins);
  int size() const { return static_cast<int>(right_.size()); }
  int index(double v) const;

 private:
  std::vector<double> right_;
};

// Equal-mass bins: samples sorted by confidence (ascending, equal ones in sample order); bin b
// holds the sorted positions floor(bN/B) .. floor((b+1)N/B)-1. With tied confidences the table
// depends on the sample order.
BinTable adaptive_bins(const std::vector<double>& confidence, const std::vector<std::uint8_t>& correct, int bins);

}  // namespace scorevi::metrics
