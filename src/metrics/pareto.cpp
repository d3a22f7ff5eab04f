#include "scorevi/metrics/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kSmallestTail = 5;

double log_sum_exp(const std::vector<double>& values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

// The shape that maximises the likelihood where shape / scale is `ratio`.
double profile_shape(const std::vector<double>& values, double ratio) {
  double sum = 0;
  for (const double value : values) sum += std::log1p(ratio * value);
  return sum / static_cast<double>(values.size());
}

// The scale that belongs to it; at ratio 0 that of an exponential distribution.
double profile_scale(const std::vector<double>& values, double ratio, double shape) {
  if (ratio != 0) return shape / ratio;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Mean of shape / scale under the profile likelihood and the prior of Zhang and Stephens. `values` rise.
double posterior_ratio(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double quartile = values[static_cast<std::size_t>(n / 4 + 0.5) - 1];
  const double points = 30 + std::floor(std::sqrt(n));
  std::vector<double> ratios, log_likelihoods;
  for (double j = 0.5; j < points; ++j) {
    const double ratio = (std::sqrt(points / j) - 1) / (3 * quartile) - 1 / values.back();
    const double shape = profile_shape(values, ratio);
    ratios.push_back(ratio);
    log_likelihoods.push_back(-n * (std::log(profile_scale(values, ratio, shape)) + shape + 1));
  }
  const double total = log_sum_exp(log_likelihoods);
  double mean = 0;
  for (std::size_t j = 0; j < ratios.size(); ++j) mean += ratios[j] * std::exp(log_likelihoods[j] - total);
  return mean;
}

double quantile(const GeneralisedPareto& pareto, double p) {
  const double exponential = -std::log1p(-p);
  if (std::abs(pareto.shape) < 1e-12) return pareto.scale * exponential;
  return pareto.scale * std::expm1(pareto.shape * exponential) / pareto.shape;
}

std::size_t tail_size(std::size_t draws, double relative_efficiency) {
  const auto n = static_cast<double>(draws);
  return static_cast<std::size_t>(std::ceil(std::min(0.2 * n, 3 * std::sqrt(n / relative_efficiency))));
}

// Replaces the tail of `logs` (largest value 0), whose places in rising order are order[begin..], and sets k.
void smooth_tail(const std::vector<std::size_t>& order, std::size_t begin, std::vector<double>& logs,
                 SmoothedWeights& out) {
  if (-logs[order[begin]] <= 1e-10) {
    out.k = -kInfinity;
    return;
  }
  const double threshold = std::exp(logs[order[begin - 1]]);
  std::vector<double> excess;
  for (std::size_t i = begin; i < order.size(); ++i) {
    const double value = std::exp(logs[order[i]]) - threshold;
    if (value > 0) excess.push_back(value);
  }
  if (excess.size() < kSmallestTail) {
    if (threshold == 0) out.k = kInfinity;
    return;
  }
  const std::size_t first = order.size() - excess.size();
  const auto n = static_cast<double>(excess.size());
  const GeneralisedPareto pareto = fit_generalised_pareto(std::move(excess));
  out.k = pareto.shape;
  out.tail = static_cast<std::int64_t>(order.size() - first);
  for (std::size_t i = first; i < order.size(); ++i) {
    const double p = (static_cast<double>(i - first) + 0.5) / n;
    logs[order[i]] = std::min(0.0, std::log(threshold + quantile(pareto, p)));
  }
}

}  // namespace

GeneralisedPareto fit_generalised_pareto(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  SCOREVI_CHECK_OP(values.size(), >=, kSmallestTail);
  SCOREVI_CHECK(values.front() > 0 && values.back() < kInfinity);
  const auto n = static_cast<double>(values.size());
  const double ratio = posterior_ratio(values);
  const double shape = profile_shape(values, ratio);
  return {(shape * n + 0.5 * 10) / (n + 10), profile_scale(values, ratio, shape)};
}

SmoothedWeights smooth_weights(const std::vector<double>& log_weights, double relative_efficiency) {
  SCOREVI_CHECK(relative_efficiency > 0);
  SmoothedWeights out;
  out.k = out.ess = kNaN;
  out.log_weights = log_weights;
  const bool usable = std::all_of(log_weights.begin(), log_weights.end(), [](double w) { return w < kInfinity; });
  if (!usable || log_weights.empty()) return out;
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  if (largest == -kInfinity) return out;

  constexpr double kRounding = 1e-6;  // nats that draws of the same weight may differ by
  const bool told = std::abs(largest) * std::numeric_limits<double>::epsilon() < kRounding;
  std::vector<double>& logs = out.log_weights;
  for (double& log_weight : logs) log_weight -= largest;
  const std::size_t tail = tail_size(logs.size(), relative_efficiency);
  if (told && tail >= kSmallestTail && tail < logs.size()) {
    std::vector<std::size_t> order(logs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logs[a] < logs[b]; });
    smooth_tail(order, order.size() - tail, logs, out);
  }
  const double total = log_sum_exp(logs);
  double squares = 0;
  for (double& log_weight : logs) {
    log_weight -= total;
    squares += std::exp(2 * log_weight);
  }
  out.ess = 1 / squares;
  return out;
}

double reliable_k(std::int64_t draws) {
  SCOREVI_CHECK_OP(draws, >=, 2);
  return std::min(1 - 1 / std::log10(static_cast<double>(draws)), 0.7);
}

}  // namespace scorevi::metrics
