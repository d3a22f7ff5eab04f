#include "scorevi/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scorevi/core/check.h"
#include "scorevi/core/philox.h"
#include "scorevi/metrics/quantile.h"

namespace scorevi::metrics {
namespace {

// How often each of n samples is drawn in resample `step`. Sample = floor(n w / 2^32) of one word
// per draw.
void draw_weights(PhiloxKey key, std::uint32_t step, std::vector<double>* weights) {
  const std::uint64_t n = weights->size();
  SCOREVI_CHECK_OP(n, <, std::uint64_t{1} << 32);
  std::fill(weights->begin(), weights->end(), 0.0);
  for (std::uint64_t i = 0; i < n; i += 4) {
    const PhiloxWords words = philox4x32_10(philox_counter(i / 4, Purpose::kBootstrap, step, /*sample=*/0), key);
    const std::uint64_t draws = std::min<std::uint64_t>(4, n - i);
    for (std::uint64_t j = 0; j < draws; ++j) (*weights)[(n * words.w[j]) >> 32] += 1.0;
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};  // four chains keep the adders busy
  const std::size_t n = a.size(), blocked = n - n % 4;
  for (std::size_t i = 0; i < blocked; i += 4)
    for (std::size_t j = 0; j < 4; ++j) sums[j] += a[i + j] * b[i + j];
  for (std::size_t i = blocked; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The records rearranged for one pass per resample.
struct ClassificationColumns {
  std::vector<double> correct, gap;  // gap = confidence - correct
  std::vector<int> bin;
  int bins = 0;
  const ClassificationRecords* records = nullptr;
  double entries_per_sample = 0.0;  // classes, the divisor of the pooled ECE
};

enum Output { kAccuracy, kNll, kBrier, kEce, kMce, kEcePooled, kOutputs };

void weighted_metrics(const ClassificationColumns& c, const std::vector<double>& w, double* out) {
  const ClassificationRecords& r = *c.records;
  const auto n = static_cast<double>(w.size());
  std::vector<double> weight(c.bins, 0.0), gap(c.bins, 0.0), pooled(c.bins, 0.0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] == 0.0) continue;
    weight[c.bin[i]] += w[i];
    gap[c.bin[i]] += w[i] * c.gap[i];
    for (std::size_t e = r.pooled_begin[i]; e < r.pooled_begin[i + 1]; ++e)
      pooled[r.pooled_bin[e]] += w[i] * r.pooled_gap[e];
  }
  double ece = 0.0, mce = 0.0, ece_pooled = 0.0;
  for (int b = 0; b < c.bins; ++b) {
    ece += std::abs(gap[b]);
    ece_pooled += std::abs(pooled[b]);
    if (weight[b] > 0.0) mce = std::max(mce, std::abs(gap[b]) / weight[b]);
  }
  out[kAccuracy] = dot(w, c.correct) / n;
  out[kNll] = dot(w, r.nll) / n;
  out[kBrier] = dot(w, r.brier) / n;
  out[kEce] = ece / n;
  out[kMce] = mce;
  out[kEcePooled] = ece_pooled / (n * c.entries_per_sample);
}

}  // namespace

std::vector<Interval> bootstrap(std::size_t n, std::size_t outputs, const Statistic& statistic,
                                const BootstrapOptions& options) {
  SCOREVI_CHECK_OP(options.resamples, >=, 1);
  SCOREVI_CHECK(options.level > 0.0 && options.level < 1.0);
  std::vector<Interval> intervals(outputs);
  if (n == 0) return intervals;
  std::vector<double> weights(n, 1.0), out(outputs);
  statistic(weights, out.data());
  for (std::size_t k = 0; k < outputs; ++k) intervals[k].value = out[k];

  std::vector<std::vector<double>> draws(outputs);
  const PhiloxKey key = philox_key(options.seed);
  for (int r = 0; r < options.resamples; ++r) {
    options.before_resample();
    draw_weights(key, static_cast<std::uint32_t>(r), &weights);
    statistic(weights, out.data());
    for (std::size_t k = 0; k < outputs; ++k)
      if (!std::isnan(out[k])) draws[k].push_back(out[k]);
  }
  const double tail = (1.0 - options.level) / 2.0;
  for (std::size_t k = 0; k < outputs; ++k) {
    std::sort(draws[k].begin(), draws[k].end());
    intervals[k].low = sorted_quantile(draws[k], tail);
    intervals[k].high = sorted_quantile(draws[k], 1.0 - tail);
  }
  return intervals;
}

Interval bootstrap_mean(const std::vector<double>& values, const BootstrapOptions& options) {
  const auto statistic = [&](const std::vector<double>& w, double* out) {
    out[0] = dot(w, values) / static_cast<double>(w.size());
  };
  return bootstrap(values.size(), 1, statistic, options)[0];
}

ClassificationIntervals bootstrap_classification(const ClassificationAccumulator& accumulator,
                                                 const BootstrapOptions& options) {
  const ClassificationRecords& r = accumulator.records();
  ClassificationColumns columns;
  columns.records = &r;
  columns.bins = accumulator.bins();
  columns.entries_per_sample = accumulator.classes();
  columns.correct.assign(r.correct.begin(), r.correct.end());
  const EqualWidthBins bins(columns.bins);
  for (std::size_t i = 0; i < r.size(); ++i) {
    columns.gap.push_back(r.confidence[i] - columns.correct[i]);
    columns.bin.push_back(bins.index(r.confidence[i]));
  }
  const auto statistic = [&](const std::vector<double>& w, double* out) { weighted_metrics(columns, w, out); };
  const std::vector<Interval> v = bootstrap(r.size(), kOutputs, statistic, options);
  return {v[kAccuracy], v[kNll], v[kBrier], v[kEce], v[kMce], v[kEcePooled]};
}

}  // namespace scorevi::metrics
