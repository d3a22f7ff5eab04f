#include "scorevi/targets/mlp_regression.h"

#include <cmath>
#include <numeric>

#include "scorevi/core/check.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

params::FlatLayout mlp_layout(int64_t hidden) {
  params::FlatLayout layout;
  layout.append("hidden.weight", {hidden, 1});
  layout.append("hidden.bias", {hidden});
  layout.append("output.weight", {1, hidden});
  layout.append("output.bias", {1});
  return layout;
}

}  // namespace

MlpRegression::MlpRegression(std::vector<double> x, std::vector<double> y, int64_t hidden, double noise,
                             double batch_frac)
    : PlainTarget(mlp_layout(hidden)),
      x_(std::move(x)),
      y_(std::move(y)),
      hidden_(static_cast<size_t>(hidden)),
      noise_(noise),
      batches_(rows(), batch_frac),
      activation_(hidden_) {
  SCOREVI_CHECK_OP(x_.size(), ==, y_.size());
  SCOREVI_CHECK_OP(noise, >, 0);
  set_batch({});
}

void MlpRegression::begin_step(uint64_t seed, int64_t step) {
  if (batches_.partial()) set_batch(batches_.rows_of(seed, step));
}

void MlpRegression::set_batch(std::vector<int64_t> rows) {
  batch_ = std::move(rows);
  if (!batch_.empty()) return;
  batch_.resize(x_.size());
  std::iota(batch_.begin(), batch_.end(), int64_t{0});
}

double MlpRegression::log_density(const double* theta, double* score) {
  const double* weight = theta;
  const double* bias = theta + hidden_;
  const double* out = theta + 2 * hidden_;
  const double scale = static_cast<double>(x_.size()) / static_cast<double>(batch_.size());
  std::fill(score, score + dim(), 0.0);
  double sum = 0;
  for (const int64_t row : batch_) {
    const double x = x_[static_cast<size_t>(row)];
    double f = theta[3 * hidden_];
    for (size_t h = 0; h < hidden_; ++h) {
      activation_[h] = std::tanh(weight[h] * x + bias[h]);
      f += out[h] * activation_[h];
    }
    const Slope term = normal(f, y_[static_cast<size_t>(row)], noise_);  // symmetric in f and y
    sum += scale * term.value;
    const double pull = scale * term.slope;
    for (size_t h = 0; h < hidden_; ++h) {
      const double inner = pull * out[h] * (1 - activation_[h] * activation_[h]);
      score[h] += inner * x;
      score[hidden_ + h] += inner;
      score[2 * hidden_ + h] += pull * activation_[h];
    }
    score[3 * hidden_] += pull;
  }
  return sum;
}

}  // namespace scorevi::targets
