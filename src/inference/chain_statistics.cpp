#include "scorevi/inference/chain_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/fft_irfft.h>
#include <ATen/ops/fft_rfft.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/real.h>
#include <ATen/ops/special_ndtri.h>

#include "scorevi/core/check.h"

namespace scorevi::inference {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct MeanVariance {
  double mean = 0;
  double variance = 0;  // divided by n - 1
};

MeanVariance mean_variance(const double* values, int64_t n) {
  MeanVariance out;
  out.mean = std::accumulate(values, values + n, 0.0) / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) out.variance += (values[i] - out.mean) * (values[i] - out.mean);
  out.variance /= static_cast<double>(n - 1);
  return out;
}

// Means and variances of the rows of [chains, n].
std::vector<MeanVariance> of_rows(const at::Tensor& values) {
  std::vector<MeanVariance> out;
  for (int64_t c = 0; c < values.size(0); ++c)
    out.push_back(mean_variance(values.data_ptr<double>() + c * values.size(1), values.size(1)));
  return out;
}

// Autocovariances [n], each divided by n, mean over the rows of [chains, n]: by the power spectrum, padded so that the
// ends do not meet.
at::Tensor mean_autocovariances(const at::Tensor& values) {
  const int64_t n = values.size(1);
  const at::Tensor spectrum = at::fft_rfft(values - values.mean(/*dim=*/1, /*keepdim=*/true), 2 * n);
  const at::Tensor power = at::real(spectrum * spectrum.conj()).mean(/*dim=*/0);
  return at::fft_irfft(power, 2 * n).narrow(0, 0, n).div(n).contiguous();
}

// What R-hat and ESS compare: the mean variance inside the chains, and the variance of everything.
struct Variances {
  double within = 0;
  double total = 0;
};

Variances variances(const std::vector<MeanVariance>& chains, int64_t n) {
  const auto count = static_cast<int64_t>(chains.size());
  Variances out;
  std::vector<double> means;
  for (const MeanVariance& chain : chains) {
    out.within += chain.variance / static_cast<double>(count);
    means.push_back(chain.mean);
  }
  out.total = out.within * static_cast<double>(n - 1) / static_cast<double>(n);
  if (count > 1) out.total += mean_variance(means.data(), count).variance;
  return out;
}

double plain_rhat(const at::Tensor& values) {
  const Variances both = variances(of_rows(values), values.size(1));
  return std::sqrt(both.total / both.within);
}

double plain_ess(const at::Tensor& values) {
  const int64_t n = values.size(1);
  const std::vector<MeanVariance> chains = of_rows(values);
  const Variances both = variances(chains, n);
  const at::Tensor covariances = mean_autocovariances(values);
  const auto correlation = [&](int64_t lag) {
    return 1 - (both.within - covariances.const_data_ptr<double>()[lag]) / both.total;
  };
  // 1 + 2 sum_t rho_t, over pairs of neighbouring correlations as long as they are positive, and made to fall. Of the
  // pair that ends them the first correlation counts once, where it is positive.
  double previous = 1 + correlation(1), sum = previous, last = 0;
  for (int64_t lag = 2; lag < n - 2; lag += 2) {
    const double even = correlation(lag), pair = even + correlation(lag + 1);
    if (!(pair > 0) || lag + 2 >= n - 2) {
      last = std::max(even, 0.0);
      break;
    }
    previous = std::min(previous, pair);
    sum += previous;
  }
  const double draws = static_cast<double>(n) * static_cast<double>(chains.size());
  const double spread = -1 + 2 * sum + last;
  return draws / std::max(spread, 1 / std::log10(draws));
}

// [2 chains, n / 2], or an undefined tensor where nothing can be told.
at::Tensor halves(const at::Tensor& values) {
  SCOREVI_CHECK_OP(values.dim(), ==, 2);
  const int64_t half = values.size(1) / 2;
  if (values.size(0) < 1 || half < 2 || !at::isfinite(values).all().item<bool>()) return {};
  if (values.min().item<double>() == values.max().item<double>()) return {};
  at::Tensor out = at::empty({2 * values.size(0), half}, values.options());
  for (int64_t c = 0; c < values.size(0); ++c) {
    out[2 * c].copy_(values[c].narrow(0, 0, half));
    out[2 * c + 1].copy_(values[c].narrow(0, values.size(1) - half, half));
  }
  return out;
}

// Each value's rank among all as a normal quantile; equal values share their mean rank.
at::Tensor normal_ranks(const at::Tensor& values) {
  const double* const x = values.data_ptr<double>();
  const int64_t n = values.numel();
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [x](int64_t a, int64_t b) { return x[a] < x[b]; });
  at::Tensor ranks = at::empty_like(values);
  double* const rank = ranks.data_ptr<double>();
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    const double shared = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) rank[order[i]] = shared;
  }
  return at::special_ndtri((ranks - 0.375) / (static_cast<double>(n) + 0.25));
}

double middle(const at::Tensor& values) {
  const at::Tensor sorted = std::get<0>(values.flatten().sort());
  const int64_t n = sorted.numel();
  return 0.5 * (sorted[(n - 1) / 2].item<double>() + sorted[n / 2].item<double>());
}

}  // namespace

double rank_rhat(const at::Tensor& values) {
  const at::Tensor split = halves(values);
  if (!split.defined()) return kNaN;
  const double bulk = plain_rhat(normal_ranks(split));
  const double folded = plain_rhat(normal_ranks((split - middle(split)).abs()));
  return std::isnan(folded) ? bulk : std::max(bulk, folded);
}

double ess_bulk(const at::Tensor& values) {
  const at::Tensor split = halves(values);
  return split.defined() ? plain_ess(normal_ranks(split)) : kNaN;
}

double ess_mean(const at::Tensor& values) {
  const at::Tensor split = halves(values);
  return split.defined() ? plain_ess(split) : kNaN;
}

}  // namespace scorevi::inference
