#include "scorevi/metrics/classification.h"

#include <algorithm>
#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "tensor_rows.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = ClassificationResult::kNaN;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNormalisationTolerance = 1e-3;  // half-precision networks stay within it

int checked_bins(int bins) {
  if (bins < 1 || bins > 1000)
    throw Error(ErrorKind::kUsage,
                "metrics: number of calibration bins, got " + std::to_string(bins) + ", expected 1..1000");
  return bins;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double share(const std::vector<std::uint8_t>& flags) {
  std::int64_t set = 0;
  for (std::uint8_t f : flags) set += f;
  return static_cast<double>(set) / static_cast<double>(flags.size());
}

}  // namespace

ClassificationAccumulator::ClassificationAccumulator(int classes, ClassificationOptions options)
    : classes_(classes),
      equal_width_(checked_bins(options.bins)),
      pooled_(options.bins),
      pooled_table_(options.bins),
      p_(std::max(classes, 0)),
      log_p_(std::max(classes, 0)),
      pooled_gap_(options.bins),
      touched_(options.bins) {
  if (classes < 2)
    throw Error(ErrorKind::kUsage,
                "metrics: number of classes, got " + std::to_string(classes) + ", expected at least 2");
  class_tables_.assign(classes, BinTable(options.bins));
}

void ClassificationAccumulator::add(const at::Tensor& log_probs, const at::Tensor& targets,
                                    const at::Tensor& expected_entropy) {
  add_rows(log_probs, targets, expected_entropy, /*logs=*/true);
}

void ClassificationAccumulator::add_probabilities(const at::Tensor& probs, const at::Tensor& targets,
                                                  const at::Tensor& expected_entropy) {
  add_rows(probs, targets, expected_entropy, /*logs=*/false);
}

void ClassificationAccumulator::add_rows(const at::Tensor& rows, const at::Tensor& targets,
                                         const at::Tensor& expected_entropy, bool logs) {
  SCOREVI_CHECK_OP(rows.dim(), ==, 2);
  SCOREVI_CHECK_OP(rows.size(1), ==, classes_);
  SCOREVI_CHECK_OP(targets.dim(), ==, 1);
  SCOREVI_CHECK_OP(targets.size(0), ==, rows.size(0));
  const std::int64_t batch = rows.size(0);
  if (batch == 0) return;
  // Mutual information needs the entropies of every sample or of none.
  SCOREVI_CHECK_OP(records_.expected_entropy.size(), ==, expected_entropy.defined() ? records_.size() : 0);
  const at::Tensor values = as_doubles(rows), labels = as_integers(targets);
  const double* row = values.const_data_ptr<double>();
  const std::int64_t* label = labels.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < batch; ++i, row += classes_) {
    const auto sample = static_cast<std::int64_t>(records_.size());
    check_target(label[i], classes_, sample);
    double total = 0.0;
    for (int k = 0; k < classes_; ++k) {
      if (!(row[k] < kInfinity)) throw_not_finite("prediction", sample, row[k]);
      p_[k] = std::min(logs ? std::exp(row[k]) : row[k], 1.0);
      log_p_[k] = logs ? std::min(row[k], 0.0) : std::log(p_[k]);
      total += p_[k];
    }
    SCOREVI_CHECK_OP(std::abs(total - 1.0), <=, kNormalisationTolerance);
    add_row(row, label[i]);
  }
  if (!expected_entropy.defined()) return;
  SCOREVI_CHECK_OP(expected_entropy.numel(), ==, batch);
  const at::Tensor entropies = as_doubles(expected_entropy);
  const double* e = entropies.const_data_ptr<double>();
  records_.expected_entropy.insert(records_.expected_entropy.end(), e, e + batch);
}

// `order` ranks the classes: the row as it was given, before any rounding.
void ClassificationAccumulator::add_row(const double* order, std::int64_t target) {
  const auto y = static_cast<int>(target);
  int best = 0, before = 0;
  double brier = 0.0, entropy = 0.0;
  for (int k = 0; k < classes_; ++k) {
    if (order[k] > order[best]) best = k;
    if (order[k] > order[y] || (order[k] == order[y] && k < y)) ++before;
    const double gap = p_[k] - (k == y ? 1.0 : 0.0);
    brier += gap * gap;
    if (p_[k] > 0.0) entropy -= p_[k] * log_p_[k];
  }
  double nll = -log_p_[y];
  if (nll == kInfinity) {
    nll = -std::log(kSmallestProbability);
    ++nll_clamped_;
  }
  records_.target.push_back(y);
  records_.predicted.push_back(best);
  records_.correct.push_back(best == y);
  records_.in_top5.push_back(before < 5);
  records_.confidence.push_back(p_[best]);
  records_.nll.push_back(nll == 0.0 ? 0.0 : nll);  // no -0
  records_.brier.push_back(brier);
  records_.entropy.push_back(entropy);
  add_bins(target);
}

void ClassificationAccumulator::add_bins(std::int64_t target) {
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  for (int k = 0; k < classes_; ++k) {
    const double hit = k == target ? 1.0 : 0.0;
    class_tables_[k].add(equal_width_.index(p_[k]), p_[k], hit);
    const int b = pooled_.index(p_[k]);
    pooled_table_.add(b, p_[k], hit);
    pooled_gap_[b] = (touched_[b] ? pooled_gap_[b] : 0.0) + (p_[k] - hit);
    touched_[b] = 1;
  }
  for (int b = 0; b < pooled_.size(); ++b) {
    if (!touched_[b]) continue;
    records_.pooled_bin.push_back(static_cast<std::uint16_t>(b));
    records_.pooled_gap.push_back(pooled_gap_[b]);
  }
  records_.pooled_begin.push_back(records_.pooled_bin.size());
}

ClassificationResult ClassificationAccumulator::result() const {
  const ClassificationRecords& r = records_;
  ClassificationResult out;
  out.n = static_cast<std::int64_t>(r.size());
  out.classes = classes_;
  out.bins = bins();
  out.nll_clamped = nll_clamped_;
  out.table = BinTable(bins());
  out.adaptive_table = adaptive_bins(r.confidence, r.correct, bins());
  out.pooled_table = pooled_table_;
  out.classwise_ece_per_class.assign(classes_, kNaN);
  if (out.n == 0) return out;

  for (std::size_t i = 0; i < r.size(); ++i)
    out.table.add(equal_width_.index(r.confidence[i]), r.confidence[i], r.correct[i]);
  out.accuracy = share(r.correct);
  if (classes_ > 5) out.top5_accuracy = share(r.in_top5);
  out.nll = mean(r.nll);
  out.brier = mean(r.brier);
  out.ece = expected_calibration_error(out.table);
  out.mce = max_calibration_error(out.table);
  out.adaptive_ece = expected_calibration_error(out.adaptive_table);
  for (int k = 0; k < classes_; ++k) out.classwise_ece_per_class[k] = expected_calibration_error(class_tables_[k]);
  out.classwise_ece = mean(out.classwise_ece_per_class);
  out.ece_pooled = expected_calibration_error(pooled_table_);
  out.mce_pooled = max_calibration_error(pooled_table_);
  out.mean_confidence = mean(r.confidence);
  out.signed_gap = out.mean_confidence - out.accuracy;
  out.entropy = mean(r.entropy);
  if (!r.expected_entropy.empty()) {
    out.expected_entropy = mean(r.expected_entropy);
    out.mutual_information = out.entropy - out.expected_entropy;
  }
  return out;
}

}  // namespace scorevi::metrics
