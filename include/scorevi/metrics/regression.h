// Regression metrics of a predictive mixture of S Gaussians (one per weight sample) for every
// target.
//
//   mean      = mixture mean; MSE, RMSE, MAE are of this mean
//   NLL       = -mean ln (1/S) sum_s N(y; m_s, s_s^2), by logsumexp, nats
//   NLL Gauss = the same for one Gaussian with the mixture's mean and variance
//   CRPS      = (1/S) sum_s A(y-m_s, s_s^2) - (1/(2S^2)) sum_{s,r} A(m_s-m_r, s_s^2+s_r^2),
//               A(d, v) = d (2 Phi(d/sqrt v) - 1) + 2 sqrt(v) phi(d/sqrt v)   (Grimit et al. 2006)
//   interval  = between the (1-level)/2 and (1+level)/2 quantiles of the mixture
// Cost O(S^2) per target (CRPS).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace scorevi::metrics {

inline constexpr double kIntervalLevel = 0.9;  // of all intervals that people are shown

struct RegressionOptions {
  double interval_level = kIntervalLevel;
  // What messages call a target; they are counted from 0 in the order they are added.
  std::function<std::string(std::int64_t)> name_of = [](std::int64_t i) { return "sample " + std::to_string(i); };
  // Called before every target; what it throws ends add().
  std::function<void()> before_target = [] {};
};

// Per target, in the units of the target (squared where it says so).
struct RegressionRecords {
  std::vector<double> mean, std, squared_error, absolute_error, nll, nll_gaussian, crps, crps_gaussian, lower, upper;
  std::vector<std::uint8_t> inside;

  std::size_t size() const { return mean.size(); }
};

struct RegressionResult {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::int64_t n = 0;
  double interval_level = kNaN;
  double mse = kNaN, rmse = kNaN, mae = kNaN;
  double nll = kNaN, nll_gaussian = kNaN;  // nats
  double crps = kNaN, crps_gaussian = kNaN;
  double coverage = kNaN;  // share of targets with lower <= y <= upper
  double width = kNaN;     // mean of upper - lower
};

// The quantile of the mixture with S means and standard deviations, 0 < p < 1.
double mixture_quantile(const double* means, const double* stds, std::size_t components, double p);

// A mixture in four numbers: mean, standard deviation, and the limits of the interval of a probability `level`.
struct MixtureSummary {
  double mean, std, lower, upper;
};
MixtureSummary summarise_mixture(const double* means, const double* stds, std::size_t components, double level);

class RegressionAccumulator {
 public:
  // 0 < interval_level < 1 (Error kUsage otherwise).
  explicit RegressionAccumulator(RegressionOptions options = {});

  // means, stds [S, B] (stds > 0), targets [B]; float or double. S may differ between batches.
  // Errors: non-finite input or std <= 0 kNumerical.
  void add(const at::Tensor& means, const at::Tensor& stds, const at::Tensor& targets);

  RegressionResult result() const;  // n = 0: every value NaN
  const RegressionRecords& records() const { return records_; }

 private:
  void add_target(const std::vector<double>& m, const std::vector<double>& s, double y);

  RegressionOptions options_;
  RegressionRecords records_;
};

}  // namespace scorevi::metrics
