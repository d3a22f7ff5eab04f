// Out-of-distribution detection from two sets of scores, and selective prediction.
// Scores are uncertainties: larger means more out-of-distribution. Only their order matters; ties
// count half.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace scorevi::metrics {

struct OodResult {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double auroc = kNaN;     // P(s_out > s_in) + P(s_out = s_in) / 2
  double aupr_in = kNaN;   // average precision, in-distribution positive, ranked by s ascending
  double aupr_out = kNaN;  // average precision, out positive, ranked by s descending
  // Smallest threshold t among the scores that keeps at least 95 % of "in" (s <= t); share of "out"
  // with s <= t.
  double fpr95 = kNaN, threshold = kNaN;
  // The same with "out" positive: largest t that keeps at least 95 % of "out" (s >= t); share of
  // "in" with s >= t.
  double fpr95_out = kNaN, threshold_out = kNaN;
  std::string reason;  // why the values are NaN: an empty class or a score that is not a number
};

// O(N log N). Average precision: sum over distinct thresholds of (recall step) * precision, ties
// enter together.
OodResult ood_metrics(const std::vector<double>& scores_in, const std::vector<double>& scores_out);

struct SelectiveResult {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double aurc = kNaN;                // mean of risk_at_k over k = 1..N
  double selective_accuracy = kNaN;  // 1 - risk at the kept samples
  double accuracy = kNaN;
  std::int64_t kept = 0;          // ceil(N * coverage)
  std::vector<double> risk_at_k;  // errors among the k most confident / k
  std::string reason;
};

// Samples in order of descending confidence; each sample of a tied group counts the group's mean
// error, so the values do not depend on the order within ties. Coverage is a whole number of
// percent (1..100).
SelectiveResult selective_metrics(const std::vector<double>& confidence, const std::vector<std::uint8_t>& correct,
                                  int coverage_percent = 80);

}  // namespace scorevi::metrics
