#include "scorevi/metrics/ood.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {
namespace {

// One distinct score and how many samples of each set have it.
struct Step {
  double score;
  std::int64_t in = 0;
  std::int64_t out = 0;
};

std::vector<Step> distinct_scores(const std::vector<double>& in, const std::vector<double>& out) {
  std::vector<std::pair<double, bool>> all;
  all.reserve(in.size() + out.size());
  for (double s : in) all.emplace_back(s, false);
  for (double s : out) all.emplace_back(s, true);
  std::sort(all.begin(), all.end());
  std::vector<Step> steps;
  for (const auto& [score, is_out] : all) {
    if (steps.empty() || steps.back().score != score) steps.push_back({score});
    ++(is_out ? steps.back().out : steps.back().in);
  }
  return steps;
}

// Walks from the most to the least positive score. Positive counts first, negative second.
template <class Iterator, class Counts>
double average_precision(Iterator first, Iterator last, std::int64_t positives, Counts counts) {
  double sum = 0.0;
  std::int64_t hits = 0, taken = 0;
  for (; first != last; ++first) {
    const auto [positive, negative] = counts(*first);
    hits += positive;
    taken += positive + negative;
    sum += static_cast<double>(positive) * static_cast<double>(hits) / static_cast<double>(taken);
  }
  return sum / static_cast<double>(positives);
}

struct Fpr {
  double rate;
  double threshold;
};

// The first threshold that keeps at least 95 % of the positives, compared in integers.
template <class Iterator, class Counts>
Fpr fpr_at_95(Iterator first, Iterator last, std::int64_t positives, std::int64_t negatives, Counts counts) {
  std::int64_t kept = 0, wrong = 0;
  for (; first != last; ++first) {
    const auto [positive, negative] = counts(*first);
    kept += positive;
    wrong += negative;
    if (20 * kept >= 19 * positives) return {static_cast<double>(wrong) / static_cast<double>(negatives), first->score};
  }
  return {OodResult::kNaN, OodResult::kNaN};
}

double auroc(const std::vector<Step>& steps, double in_total, double out_total) {
  double sum = 0.0, in_below = 0.0;
  for (const Step& s : steps) {
    sum += static_cast<double>(s.out) * (in_below + 0.5 * static_cast<double>(s.in));
    in_below += static_cast<double>(s.in);
  }
  return sum / (in_total * out_total);
}

std::string why_undefined(const std::vector<double>& in, const std::vector<double>& out) {
  if (in.empty() && out.empty()) return "both sets are empty";
  if (in.empty()) return "no in-distribution sample";
  if (out.empty()) return "no out-of-distribution sample";
  const auto is_nan = [](double s) { return std::isnan(s); };
  const auto i = std::find_if(in.begin(), in.end(), is_nan) - in.begin();
  if (i < static_cast<std::ptrdiff_t>(in.size()))
    return "in-distribution score " + std::to_string(i) + " is not a number";
  const auto o = std::find_if(out.begin(), out.end(), is_nan) - out.begin();
  if (o < static_cast<std::ptrdiff_t>(out.size()))
    return "out-of-distribution score " + std::to_string(o) + " is not a number";
  return "";
}

// Fills risk_at_k: errors so far in expectation over the order within each tied group.
void risks(const std::vector<double>& confidence, const std::vector<std::uint8_t>& correct,
           std::vector<double>* risk_at_k) {
  const std::size_t n = confidence.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return confidence[a] > confidence[b]; });
  double errors = 0.0;  // before the group
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    std::int64_t wrong = 0;
    while (end < n && confidence[order[end]] == confidence[order[begin]]) wrong += correct[order[end++]] ? 0 : 1;
    const auto group = static_cast<double>(end - begin);
    for (std::size_t k = begin; k < end; ++k) {
      const double partial = static_cast<double>(wrong) * static_cast<double>(k + 1 - begin) / group;
      risk_at_k->push_back((errors + partial) / static_cast<double>(k + 1));
    }
    errors += static_cast<double>(wrong);
  }
}

}  // namespace

OodResult ood_metrics(const std::vector<double>& scores_in, const std::vector<double>& scores_out) {
  OodResult result;
  result.reason = why_undefined(scores_in, scores_out);
  if (!result.reason.empty()) return result;
  const std::vector<Step> steps = distinct_scores(scores_in, scores_out);
  const auto in = static_cast<std::int64_t>(scores_in.size());
  const auto out = static_cast<std::int64_t>(scores_out.size());
  const auto in_first = [](const Step& s) { return std::pair(s.in, s.out); };
  const auto out_first = [](const Step& s) { return std::pair(s.out, s.in); };
  result.auroc = auroc(steps, static_cast<double>(in), static_cast<double>(out));
  result.aupr_in = average_precision(steps.begin(), steps.end(), in, in_first);
  result.aupr_out = average_precision(steps.rbegin(), steps.rend(), out, out_first);
  const Fpr in_positive = fpr_at_95(steps.begin(), steps.end(), in, out, in_first);
  result.fpr95 = in_positive.rate;
  result.threshold = in_positive.threshold;
  const Fpr out_positive = fpr_at_95(steps.rbegin(), steps.rend(), out, in, out_first);
  result.fpr95_out = out_positive.rate;
  result.threshold_out = out_positive.threshold;
  return result;
}

SelectiveResult selective_metrics(const std::vector<double>& confidence, const std::vector<std::uint8_t>& correct,
                                  int coverage_percent) {
  SCOREVI_CHECK_OP(confidence.size(), ==, correct.size());
  if (coverage_percent < 1 || coverage_percent > 100)
    throw Error(ErrorKind::kUsage,
                "metrics: coverage in percent, got " + std::to_string(coverage_percent) + ", expected 1..100");
  SelectiveResult result;
  if (confidence.empty()) {
    result.reason = "no sample";
    return result;
  }
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (!std::isnan(confidence[i])) continue;
    result.reason = "confidence " + std::to_string(i) + " is not a number";
    return result;
  }
  const auto n = static_cast<std::int64_t>(confidence.size());
  risks(confidence, correct, &result.risk_at_k);
  result.kept = (n * coverage_percent + 99) / 100;
  result.selective_accuracy = 1.0 - result.risk_at_k[result.kept - 1];
  result.accuracy = 1.0 - result.risk_at_k.back();
  result.aurc = std::accumulate(result.risk_at_k.begin(), result.risk_at_k.end(), 0.0) / static_cast<double>(n);
  return result;
}

}  // namespace scorevi::metrics
