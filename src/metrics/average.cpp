#include "scorevi/metrics/average.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "scorevi/core/check.h"
#include "tensor_rows.h"

namespace scorevi::metrics {
namespace {

// ln(e^a + e^b) with the larger one taken out; -infinity is a sum of nothing.
double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == -INFINITY ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace

LogMeanExp::LogMeanExp(std::int64_t rows, std::int64_t classes)
    : rows_(rows),
      classes_(classes),
      given_(rows, 0),
      log_sum_(static_cast<std::size_t>(rows * classes), -INFINITY),
      entropy_sum_(rows, 0.0) {
  SCOREVI_CHECK_OP(rows, >=, 0);
  SCOREVI_CHECK_OP(classes, >=, 1);
}

void LogMeanExp::add(std::int64_t first_row, const at::Tensor& log_probs) {
  SCOREVI_CHECK_OP(log_probs.dim(), ==, 2);
  SCOREVI_CHECK_OP(log_probs.size(1), ==, classes_);
  const std::int64_t batch = log_probs.size(0);
  SCOREVI_CHECK_OP(first_row, >=, 0);
  SCOREVI_CHECK_OP(first_row + batch, <=, rows_);
  const at::Tensor values = as_doubles(log_probs);
  const double* in = values.const_data_ptr<double>();
  for (std::int64_t row = first_row; row < first_row + batch; ++row, in += classes_) {
    SCOREVI_CHECK_OP(given_[row], ==, samples_);  // each row once per weight sample
    ++given_[row];
    double* sum = log_sum_.data() + row * classes_;
    double entropy = 0.0;
    for (std::int64_t k = 0; k < classes_; ++k) {
      if (!(in[k] < INFINITY)) throw_not_finite("log-probability", row, in[k]);
      sum[k] = log_add(sum[k], in[k]);
      const double p = std::exp(in[k]);
      if (p > 0.0) entropy -= p * in[k];
    }
    entropy_sum_[row] += entropy;
  }
  rows_given_ += batch;
}

void LogMeanExp::end_sample() {
  SCOREVI_CHECK_OP(rows_given_, ==, rows_);
  rows_given_ = 0;
  ++samples_;
}

at::Tensor LogMeanExp::log_mean() const {
  SCOREVI_CHECK_OP(samples_, >=, 1);
  SCOREVI_CHECK_OP(rows_given_, ==, 0);
  at::Tensor out = at::empty({rows_, classes_}, at::kDouble);
  const double log_samples = std::log(static_cast<double>(samples_));
  std::transform(log_sum_.begin(), log_sum_.end(), out.mutable_data_ptr<double>(),
                 [log_samples](double v) { return v - log_samples; });
  return out;
}

at::Tensor LogMeanExp::expected_entropy() const {
  SCOREVI_CHECK_OP(samples_, >=, 1);
  at::Tensor out = at::empty({rows_}, at::kDouble);
  const auto count = static_cast<double>(samples_);
  std::transform(entropy_sum_.begin(), entropy_sum_.end(), out.mutable_data_ptr<double>(),
                 [count](double v) { return v / count; });
  return out;
}

}  // namespace scorevi::metrics
