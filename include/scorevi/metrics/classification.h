// Classification metrics over a whole data set, fed in batches of any size.
//
// With p_n the predicted probabilities of sample n and y_n its label (natural logarithms, means
// over samples):
//   accuracy = mean [argmax_k p_nk = y_n] (first index among equal maxima)
//   NLL      = -mean ln p_n,y   an exact 0 is replaced by the smallest normal float, 2^-126, and
//   counted Brier    = mean sum_k (p_nk - [y_n = k])^2, range 0..2 ECE, MCE, adaptive ECE  of the
//   largest probability (calibration.h) class-wise ECE = mean over classes of the ECE of p_k
//   against [y = k] pooled ECE     = ECE over all N*C entries p_nk against [y_n = k], pooled bins
//   signed gap     = mean confidence - accuracy; positive means over-confident
//   entropy  = mean H(p_n);  mutual information = entropy - mean over weight samples of the entropy
// Everything is summed in double in sample order, so the result is bit-equal for any cutting into
// batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "scorevi/metrics/calibration.h"

namespace scorevi::metrics {

struct ClassificationOptions {
  int bins = 15;  // of every calibration metric; a reported ECE names it
};

// What is kept of each sample: a few numbers, never its logits.
struct ClassificationRecords {
  std::vector<std::int32_t> target, predicted;
  std::vector<std::uint8_t> correct, in_top5;
  std::vector<double> confidence, nll, brier, entropy;
  std::vector<double> expected_entropy;  // empty, or one per sample
  // Signed gaps sum_k (p_nk - [y_n = k]) of sample n in each pooled bin it touches:
  // entries pooled_begin[n] .. pooled_begin[n+1]-1.
  std::vector<std::size_t> pooled_begin = {0};
  std::vector<std::uint16_t> pooled_bin;
  std::vector<double> pooled_gap;

  std::size_t size() const { return target.size(); }
};

struct ClassificationResult {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::int64_t n = 0;
  int classes = 0;
  int bins = 0;
  std::int64_t nll_clamped = 0;  // samples whose true class had probability exactly 0
  double accuracy = kNaN;
  double top5_accuracy = kNaN;  // NaN with five classes or fewer
  double nll = kNaN;            // nats
  double brier = kNaN;
  double ece = kNaN, mce = kNaN, adaptive_ece = kNaN, classwise_ece = kNaN;
  double ece_pooled = kNaN, mce_pooled = kNaN;
  double mean_confidence = kNaN, signed_gap = kNaN;
  double entropy = kNaN;             // nats
  double expected_entropy = kNaN;    // NaN unless given for every sample
  double mutual_information = kNaN;  // NaN unless expected entropies were given
  std::vector<double> classwise_ece_per_class;
  BinTable table, adaptive_table, pooled_table;
};

// Collects predictions. Memory: O(N) numbers and O(C * bins) sums.
class ClassificationAccumulator {
 public:
  // classes >= 2, 1 <= bins <= 1000 (Error kUsage otherwise).
  explicit ClassificationAccumulator(int classes, ClassificationOptions options = {});

  // log_probs [B, C] normalised log-probabilities (float or double, any device), targets [B]
  // integers in 0..C-1, expected_entropy [B]: mean over weight samples of the entropy, in nats (all
  // batches or none). Errors: a target out of range kData; NaN or +infinity kNumerical; rows that
  // do not sum to 1 within 1e-3 are our bug.
  void add(const at::Tensor& log_probs, const at::Tensor& targets, const at::Tensor& expected_entropy = {});

  // The same for probabilities: exact bin edges, no rounding through the logarithm.
  void add_probabilities(const at::Tensor& probs, const at::Tensor& targets, const at::Tensor& expected_entropy = {});

  ClassificationResult result() const;  // n = 0: every value NaN
  const ClassificationRecords& records() const { return records_; }
  int classes() const { return classes_; }
  int bins() const { return equal_width_.size(); }

 private:
  void add_rows(const at::Tensor& rows, const at::Tensor& targets, const at::Tensor& expected_entropy, bool logs);
  void add_row(const double* order, std::int64_t target);
  void add_bins(std::int64_t target);

  int classes_;
  EqualWidthBins equal_width_;
  PooledBins pooled_;
  ClassificationRecords records_;
  std::int64_t nll_clamped_ = 0;
  std::vector<BinTable> class_tables_;  // one per class
  BinTable pooled_table_;
  std::vector<double> p_, log_p_;      // the row at hand
  std::vector<double> pooled_gap_;     // its gap per pooled bin
  std::vector<std::uint8_t> touched_;  // pooled bins it touches
};

// Smallest normal float, the probability that replaces an exact 0 in the NLL.
constexpr double kSmallestProbability = 0x1p-126;

}  // namespace scorevi::metrics
