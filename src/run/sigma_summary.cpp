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

// The log standard deviations in ascending order: all, or an evenly spaced sample.
std::vector<float> sorted_sample(const at::Tensor& log_std) {
  const int64_t stride = (log_std.numel() + kMaxSample - 1) / kMaxSample;
  const at::Tensor sample =
      log_std.slice(0, 0, log_std.numel(), std::max<int64_t>(1, stride)).to(at::kCPU, at::kFloat).contiguous();
  std::vector<float> values(sample.const_data_ptr<float>(), sample.const_data_ptr<float>() + sample.numel());
  std::sort(values.begin(), values.end());
  return values;
}

double quantile(const std::vector<float>& sorted, double p) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return std::exp(static_cast<double>(sorted[static_cast<std::size_t>(std::lround(p * last))]));
}

double extreme(const at::Tensor& log_std, bool largest) {
  return std::exp((largest ? log_std.max() : log_std.min()).item<double>());
}

}  // namespace

SigmaQuantiles sigma_quantiles(const variational::Family& family) {
  const auto* gaussian = dynamic_cast<const variational::DiagonalGaussian*>(&family);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (gaussian == nullptr) return {kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<float> sorted = sorted_sample(gaussian->log_std());
  return {extreme(gaussian->log_std(), false), quantile(sorted, 0.05), quantile(sorted, 0.5), quantile(sorted, 0.95),
          extreme(gaussian->log_std(), true)};
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
    const double low = std::log(0.99 * starts[i]), high = std::log(1.01 * starts[i]);
    const at::Tensor part = gaussian->log_std().slice(0, entry.offset, entry.offset + entry.numel);
    const std::vector<float> sorted = sorted_sample(part);
    const auto still = std::count_if(sorted.begin(), sorted.end(), [&](float v) { return v >= low && v <= high; });
    result.push_back({entry.name, entry.numel, starts[i], extreme(part, false), quantile(sorted, 0.5),
                      extreme(part, true), 1 - static_cast<double>(still) / static_cast<double>(sorted.size())});
  }
  return result;
}

}  // namespace scorevi::run
