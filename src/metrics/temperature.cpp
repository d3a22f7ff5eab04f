#include "scorevi/metrics/temperature.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "root.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "tensor_rows.h"

namespace scorevi::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Logits shifted so that each row's largest is 0; rows whose label is impossible are left out.
struct Rows {
  std::vector<double> z;  // [n, classes]
  std::vector<std::int64_t> target;
  std::int64_t classes = 0;
  std::int64_t skipped = 0;
};

struct Derivatives {
  double nll = 0.0;
  double first = 0.0;  // with respect to b = 1/T
  double second = 0.0;
};

Rows shifted_rows(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor values = as_doubles(logits), labels = as_integers(targets);
  const double* row = values.const_data_ptr<double>();
  const std::int64_t* label = labels.const_data_ptr<std::int64_t>();
  Rows rows;
  rows.classes = logits.size(1);
  for (std::int64_t i = 0; i < logits.size(0); ++i, row += rows.classes) {
    check_target(label[i], rows.classes, i);
    for (std::int64_t k = 0; k < rows.classes; ++k)
      if (!(row[k] < INFINITY)) throw_not_finite("logit", i, row[k]);
    if (row[label[i]] == -INFINITY) {
      ++rows.skipped;
      continue;
    }
    const double top = *std::max_element(row, row + rows.classes);
    for (std::int64_t k = 0; k < rows.classes; ++k) rows.z.push_back(row[k] - top);
    rows.target.push_back(label[i]);
  }
  return rows;
}

Derivatives evaluate(const Rows& rows, double b) {
  Derivatives sum;
  const double* z = rows.z.data();
  for (const std::int64_t target : rows.target) {
    double total = 0.0, first = 0.0, second = 0.0;
    for (std::int64_t k = 0; k < rows.classes; ++k) {
      const double weight = std::exp(b * z[k]);
      if (weight == 0.0) continue;  // also keeps 0 * infinity out
      total += weight;
      first += weight * z[k];
      second += weight * z[k] * z[k];
    }
    first /= total;
    sum.nll += std::log(total) - b * z[target];
    sum.first += first - z[target];
    sum.second += second / total - first * first;
    z += rows.classes;
  }
  const auto n = static_cast<double>(rows.target.size());
  return {sum.nll / n, sum.first / n, sum.second / n};
}

}  // namespace

TemperatureFit fit_temperature(const at::Tensor& logits, const at::Tensor& targets) {
  SCOREVI_CHECK_OP(logits.dim(), ==, 2);
  SCOREVI_CHECK_OP(targets.dim(), ==, 1);
  SCOREVI_CHECK_OP(logits.size(0), ==, targets.size(0));
  const Rows rows = shifted_rows(logits, targets);
  TemperatureFit fit;
  fit.n = static_cast<std::int64_t>(rows.target.size());
  fit.skipped = rows.skipped;
  if (fit.n == 0) {
    fit.nll_before = fit.nll_after = kNaN;
    return fit;
  }
  using Where = TemperatureFit::Where;
  fit.nll_before = evaluate(rows, 1.0).nll;
  const double slope_cold = evaluate(rows, 1.0 / kMinTemperature).first;
  const double slope_hot = evaluate(rows, 1.0 / kMaxTemperature).first;
  if (slope_cold == 0.0 && slope_hot == 0.0) {
    fit.where = Where::kFlat;
  } else if (slope_cold <= 0.0) {
    fit.where = Where::kLowerBound;
    fit.temperature = kMinTemperature;
  } else if (slope_hot >= 0.0) {
    fit.where = Where::kUpperBound;
    fit.temperature = kMaxTemperature;
  } else {
    fit.where = Where::kInterior;
    // In u = ln b the derivative of the NLL by b is still increasing.
    const double u = increasing_root(
        [&rows](double log_b) {
          const double b = std::exp(log_b);
          const Derivatives d = evaluate(rows, b);
          return ValueSlope{d.first, d.second * b};
        },
        -std::log(kMaxTemperature), -std::log(kMinTemperature));
    fit.temperature = std::exp(-u);
  }
  fit.nll_after = evaluate(rows, 1.0 / fit.temperature).nll;
  return fit;
}

at::Tensor apply_temperature(const at::Tensor& log_probs, double temperature) {
  SCOREVI_CHECK_OP(log_probs.dim(), ==, 2);
  SCOREVI_CHECK_OP(temperature, >, 0.0);
  const at::Tensor values = as_doubles(log_probs);
  at::Tensor scaled = at::empty(values.sizes(), values.options());
  const double* in = values.const_data_ptr<double>();
  double* out = scaled.mutable_data_ptr<double>();
  const std::int64_t rows = values.size(0), classes = values.size(1);
  for (std::int64_t i = 0; i < rows; ++i, in += classes, out += classes) {
    const double top = *std::max_element(in, in + classes);
    double total = 0.0;
    for (std::int64_t k = 0; k < classes; ++k) {
      out[k] = (in[k] - top) / temperature;
      total += std::exp(out[k]);
    }
    const double log_total = std::log(total);
    for (std::int64_t k = 0; k < classes; ++k) out[k] -= log_total;
  }
  return scaled;
}

}  // namespace scorevi::metrics
