#include "scorevi/metrics/regression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "root.h"
#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"
#include "scorevi/core/error.h"
#include "scorevi/metrics/student_t.h"
#include "tensor_rows.h"

namespace scorevi::metrics {
namespace {

constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;
constexpr double kInverseSqrtPi = 0.56418958354775628695;

double log_normal(double y, double m, double s) {
  const double z = (y - m) / s;
  return -0.5 * z * z - std::log(s) - kLogTwoPi / 2;
}

double normal_density(double z) { return kInverseSqrtTwoPi * std::exp(-0.5 * z * z); }

// E|X| of X ~ N(d, v).
double mean_absolute(double d, double v) {
  const double s = std::sqrt(v);
  return d * std::erf(d / s * std::sqrt(0.5)) + 2.0 * s * normal_density(d / s);
}

double mixture_nll(const std::vector<double>& m, const std::vector<double>& s, double y) {
  double top = -INFINITY;
  std::vector<double> logs(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    logs[i] = log_normal(y, m[i], s[i]);
    top = std::max(top, logs[i]);
  }
  double sum = 0.0;
  for (double l : logs) sum += std::exp(l - top);
  return std::log(static_cast<double>(m.size())) - top - std::log(sum);
}

double mixture_crps(const std::vector<double>& m, const std::vector<double>& s, double y) {
  const auto count = static_cast<double>(m.size());
  double to_target = 0.0, between = 0.0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    to_target += mean_absolute(y - m[i], s[i] * s[i]);
    between += mean_absolute(0.0, 2.0 * s[i] * s[i]);
    for (std::size_t j = 0; j < i; ++j) between += 2.0 * mean_absolute(m[i] - m[j], s[i] * s[i] + s[j] * s[j]);
  }
  return to_target / count - 0.5 * between / (count * count);
}

double gaussian_crps(double y, double m, double s) {
  const double z = (y - m) / s;
  return s * (z * std::erf(z * std::sqrt(0.5)) + 2.0 * normal_density(z) - kInverseSqrtPi);
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace

double mixture_quantile(const double* means, const double* stds, std::size_t components, double p) {
  const double z = normal_quantile(p);
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < components; ++i) {
    low = std::min(low, means[i] + stds[i] * z);
    high = std::max(high, means[i] + stds[i] * z);
  }
  if (!(low < high)) return low;
  // The tail that is the smaller one is summed, so that no digits are lost near p = 1.
  const bool upper = p > 0.5;
  return increasing_root(
      [&](double x) {
        double tail = 0.0, density = 0.0;
        for (std::size_t i = 0; i < components; ++i) {
          const double t = (x - means[i]) / stds[i];
          tail += normal_cdf(upper ? -t : t);
          density += normal_density(t) / stds[i];
        }
        const auto count = static_cast<double>(components);
        tail /= count;
        return ValueSlope{upper ? (1.0 - p) - tail : tail - p, density / count};
      },
      low, high);
}

MixtureSummary summarise_mixture(const double* means, const double* stds, std::size_t components, double level) {
  const auto count = static_cast<double>(components);
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < components; ++i) mean += means[i];
  mean /= count;
  // The mean of the variances plus the spread of the means, the form without cancellation.
  for (std::size_t i = 0; i < components; ++i) variance += stds[i] * stds[i] + (means[i] - mean) * (means[i] - mean);
  const double tail = 0.5 * (1.0 - level);
  return {mean, std::sqrt(variance / count), mixture_quantile(means, stds, components, tail),
          mixture_quantile(means, stds, components, 1.0 - tail)};
}

RegressionAccumulator::RegressionAccumulator(RegressionOptions options) : options_(std::move(options)) {
  const double level = options_.interval_level;
  if (!(level > 0.0 && level < 1.0))
    throw Error(ErrorKind::kUsage,
                "metrics: interval level, got " + std::to_string(level) + ", expected a number between 0 and 1");
}

void RegressionAccumulator::add(const at::Tensor& means, const at::Tensor& stds, const at::Tensor& targets) {
  SCOREVI_CHECK_OP(means.dim(), ==, 2);
  SCOREVI_CHECK(means.sizes() == stds.sizes());
  SCOREVI_CHECK_OP(targets.dim(), ==, 1);
  SCOREVI_CHECK_OP(targets.size(0), ==, means.size(1));
  SCOREVI_CHECK_OP(means.size(0), >=, 1);
  const at::Tensor m_all = as_doubles(means), s_all = as_doubles(stds), y_all = as_doubles(targets);
  const double *m = m_all.const_data_ptr<double>(), *s = s_all.const_data_ptr<double>();
  const double* y = y_all.const_data_ptr<double>();
  const auto components = static_cast<std::size_t>(means.size(0));
  const auto batch = static_cast<std::size_t>(means.size(1));
  std::vector<double> m_one(components), s_one(components);
  for (std::size_t n = 0; n < batch; ++n) {
    options_.before_target();
    const auto sample = [this] { return options_.name_of(static_cast<std::int64_t>(records_.size())); };
    if (!std::isfinite(y[n])) throw_not_finite("target", sample(), y[n]);
    for (std::size_t c = 0; c < components; ++c) {
      m_one[c] = m[c * batch + n];
      s_one[c] = s[c * batch + n];
      if (!std::isfinite(m_one[c])) throw_not_finite("predicted mean", sample(), m_one[c]);
      if (!(s_one[c] > 0.0 && std::isfinite(s_one[c])))
        throw Error(ErrorKind::kNumerical, "metrics: standard deviation of " + sample() + ", got " +
                                               std::to_string(s_one[c]) + ", expected a positive finite number");
    }
    add_target(m_one, s_one, y[n]);
  }
}

void RegressionAccumulator::add_target(const std::vector<double>& m, const std::vector<double>& s, double y) {
  const MixtureSummary all = summarise_mixture(m.data(), s.data(), m.size(), options_.interval_level);
  const double error = y - all.mean;
  records_.mean.push_back(all.mean);
  records_.std.push_back(all.std);
  records_.squared_error.push_back(error * error);
  records_.absolute_error.push_back(std::abs(error));
  records_.nll.push_back(mixture_nll(m, s, y));
  records_.nll_gaussian.push_back(-log_normal(y, all.mean, all.std));
  records_.crps.push_back(mixture_crps(m, s, y));
  records_.crps_gaussian.push_back(gaussian_crps(y, all.mean, all.std));
  records_.lower.push_back(all.lower);
  records_.upper.push_back(all.upper);
  records_.inside.push_back(all.lower <= y && y <= all.upper);
}

RegressionResult RegressionAccumulator::result() const {
  RegressionResult out;
  out.interval_level = options_.interval_level;
  out.n = static_cast<std::int64_t>(records_.size());
  if (out.n == 0) return out;
  out.mse = mean(records_.squared_error);
  out.rmse = std::sqrt(out.mse);
  out.mae = mean(records_.absolute_error);
  out.nll = mean(records_.nll);
  out.nll_gaussian = mean(records_.nll_gaussian);
  out.crps = mean(records_.crps);
  out.crps_gaussian = mean(records_.crps_gaussian);
  double inside = 0.0, width = 0.0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    inside += records_.inside[i];
    width += records_.upper[i] - records_.lower[i];
  }
  out.coverage = inside / static_cast<double>(out.n);
  out.width = width / static_cast<double>(out.n);
  return out;
}

}  // namespace scorevi::metrics
