#include "sigma_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <torch/torch.h>

#include "scorevi/core/check.h"
#include "scorevi/variational/diagonal_gaussian.h"

namespace scorevi::run {
namespace {

constexpr int64_t kMaxSample = 1000000;

// The log standard deviations of the Gaussians in ascending order: all, or an evenly spaced sample.
std::vector<float> sorted_sample(const at::Tensor& log_std, const std::vector<params::Range>& gaussians) {
  int64_t count = 0;
  for (const params::Range& range : gaussians) count += range.end - range.begin;
  const int64_t stride = std::max<int64_t>(1, (count + kMaxSample - 1) / kMaxSample);
  std::vector<float> values;
  for (const params::Range& range : gaussians) {
    const at::Tensor sample = log_std.slice(0, range.begin, range.end, stride).to(at::kCPU, at::kFloat).contiguous();
    values.insert(values.end(), sample.const_data_ptr<float>(), sample.const_data_ptr<float>() + sample.numel());
  }
  std::sort(values.begin(), values.end());
  return values;
}

double quantile(const std::vector<float>& sorted, double p) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return std::exp(static_cast<double>(sorted[static_cast<std::size_t>(std::lround(p * last))]));
}

double extreme(const at::Tensor& log_std, const std::vector<params::Range>& gaussians, bool largest) {
  double result = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  for (const params::Range& range : gaussians) {
    const at::Tensor part = log_std.slice(0, range.begin, range.end);
    result = largest ? std::max(result, part.max().item<double>()) : std::min(result, part.min().item<double>());
  }
  return std::exp(result);
}

// A parameter is a point as a whole or not at all.
bool is_point(const variational::DiagonalGaussian& q, const params::FlatEntry& entry) {
  return std::any_of(q.points().begin(), q.points().end(), [&](const params::Range& range) {
    return range.begin <= entry.offset && entry.offset < range.end;
  });
}

}  // namespace

SigmaQuantiles sigma_quantiles(const variational::Family& family) {
  const auto* gaussian = dynamic_cast<const variational::DiagonalGaussian*>(&family);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<params::Range> all = gaussian != nullptr ? gaussian->gaussians() : std::vector<params::Range>{};
  if (all.empty()) return {kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<float> sorted = sorted_sample(gaussian->log_std(), all);
  return {extreme(gaussian->log_std(), all, false), quantile(sorted, 0.05), quantile(sorted, 0.5),
          quantile(sorted, 0.95), extreme(gaussian->log_std(), all, true)};
}

std::vector<EvaluationReport::Sigma> sigma_by_parameter(const variational::Family& family,
                                                        const params::FlatLayout& layout,
                                                        const std::vector<double>& starts) {
  std::vector<EvaluationReport::Sigma> result;
  const auto* gaussian = dynamic_cast<const variational::DiagonalGaussian*>(&family);
  if (gaussian == nullptr) return result;
  SCOREVI_CHECK_OP(starts.size(), ==, layout.entries().size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const params::FlatEntry& entry = layout.entries()[i];
    if (is_point(*gaussian, entry)) continue;
    const double low = std::log(0.99 * starts[i]), high = std::log(1.01 * starts[i]);
    const std::vector<params::Range> all = {{entry.offset, entry.offset + entry.numel}};
    const std::vector<float> sorted = sorted_sample(gaussian->log_std(), all);
    const auto still = std::count_if(sorted.begin(), sorted.end(), [&](float v) { return v >= low && v <= high; });
    result.push_back({entry.name, entry.numel, starts[i], extreme(gaussian->log_std(), all, false),
                      quantile(sorted, 0.5), extreme(gaussian->log_std(), all, true),
                      1 - static_cast<double>(still) / static_cast<double>(sorted.size())});
  }
  return result;
}

}  // namespace scorevi::run
