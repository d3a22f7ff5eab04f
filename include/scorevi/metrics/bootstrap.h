// Percentile bootstrap: intervals of a metric over the test samples.
//
// Resample r draws N sample indices with replacement from the counter-based generator (purpose
// bootstrap, step r), so limits depend on the seed alone. A statistic sees the draws as weights w_n
// (how often n was drawn, sum N). Limits are the (1-level)/2 and (1+level)/2 quantiles of the R
// statistics, linear between order statistics. Source: Efron and Tibshirani, An Introduction to the
// Bootstrap (1993), ch. 13.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "scorevi/metrics/classification.h"
#include "scorevi/metrics/interval.h"

namespace scorevi::metrics {

struct BootstrapOptions {
  int resamples = 1000;
  std::uint64_t seed = 0;
  double level = 0.95;
  // Called before every resample; what it throws ends the bootstrap.
  std::function<void()> before_resample = [] {};
};

// Writes `outputs` numbers computed from the weights [N].
using Statistic = std::function<void(const std::vector<double>& weights, double* out)>;

// One interval per output; its value is the statistic at weights 1. Cost: resamples * (N + cost of
// the statistic). n = 0 gives NaN; an output that is NaN in every resample too.
std::vector<Interval> bootstrap(std::size_t n, std::size_t outputs, const Statistic& statistic,
                                const BootstrapOptions& options = {});

// Interval of a plain mean (an MSE from squared errors, say).
Interval bootstrap_mean(const std::vector<double>& values, const BootstrapOptions& options = {});

struct ClassificationIntervals {
  Interval accuracy, nll, brier, ece, mce, ece_pooled;
};

// The six together, one set of resamples for all. N = 10^4 takes well under a second.
ClassificationIntervals bootstrap_classification(const ClassificationAccumulator& accumulator,
                                                 const BootstrapOptions& options = {});

}  // namespace scorevi::metrics
