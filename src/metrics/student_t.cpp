#include "scorevi/metrics/student_t.h"

#include <cmath>
#include <limits>

#include "root.h"
#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Continued fraction of the incomplete beta function by the modified Lentz method, for x <
// (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double value = d;
  for (int m = 1; m <= 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1.0) < 1e-16) break;
  }
  return value;
}

// Regularised incomplete beta function I_x(a, b); y = 1 - x is passed too because it may be the
// accurate one.
double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, y) / b;
}

// P(T > t) for t >= 0.
double upper_tail(double t, double dof) {
  const double square = t * t;
  return 0.5 * incomplete_beta(0.5 * dof, 0.5, dof / (dof + square), square / (dof + square));
}

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

double normal_quantile(double p) {
  SCOREVI_CHECK(p > 0.0 && p < 1.0);
  if (p > 0.5) return -normal_quantile(1.0 - p);
  return increasing_root(
      [p](double x) {
        constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;
        return ValueSlope{normal_cdf(x) - p, kInverseSqrtTwoPi * std::exp(-0.5 * x * x)};
      },
      -39.0, 0.0);
}

double student_t_cdf(double t, double dof) {
  SCOREVI_CHECK(dof > 0.0);
  return t >= 0.0 ? 1.0 - upper_tail(t, dof) : upper_tail(-t, dof);
}

double student_t_quantile(double p, double dof) {
  SCOREVI_CHECK(p > 0.0 && p < 1.0 && dof > 0.0);
  if (p == 0.5) return 0.0;
  if (p < 0.5) return -student_t_quantile(1.0 - p, dof);
  const double tail = 1.0 - p;
  double high = 1.0;
  while (upper_tail(high, dof) > tail && high < 1e300) high *= 2.0;
  const double log_scale =
      std::lgamma(0.5 * (dof + 1.0)) - std::lgamma(0.5 * dof) - 0.5 * std::log(dof * 3.14159265358979323846);
  return increasing_root(
      [&](double t) {
        const double slope = std::exp(log_scale - 0.5 * (dof + 1.0) * std::log1p(t * t / dof));
        return ValueSlope{tail - upper_tail(t, dof), slope};
      },
      0.0, high);
}

MeanInterval mean_interval(const std::vector<double>& values, double level) {
  SCOREVI_CHECK(level > 0.0 && level < 1.0);
  MeanInterval out{static_cast<std::int64_t>(values.size()), kNaN, kNaN, kNaN, kNaN};
  if (values.empty()) return out;
  const auto n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (double v : values) sum += v;
  out.mean = sum / n;
  if (values.size() < 2 || !std::isfinite(out.mean)) return out;
  for (double v : values) squares += (v - out.mean) * (v - out.mean);
  out.sd = std::sqrt(squares / (n - 1.0));
  const double half = student_t_quantile(0.5 * (1.0 + level), n - 1.0) * out.sd / std::sqrt(n);
  out.low = out.mean - half;
  out.high = out.mean + half;
  return out;
}

MeanInterval paired_interval(const std::vector<double>& a, const std::vector<double>& b, double level) {
  SCOREVI_CHECK_OP(a.size(), ==, b.size());
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return mean_interval(difference, level);
}

}  // namespace scorevi::metrics
