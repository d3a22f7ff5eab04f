// A Bayesian neural network on one input: the smallest posterior of a network, with a gradient by hand.
#pragma once

#include <vector>

#include "scorevi/targets/plain_target.h"
#include "scorevi/targets/row_batches.h"

namespace scorevi::targets {

// f(x) = output.bias + sum_h output.weight_h tanh(hidden.weight_h x + hidden.bias_h), y ~ N(f(x), noise^2);
// theta = (hidden.weight [H, 1], hidden.bias [H], output.weight [1, H], output.bias [1]), D = 3 H + 1.
// On a batch B of the N rows log_density = N/|B| sum_B log N(y | f(x), noise^2), without prior. O(|B| H).
class MlpRegression final : public PlainTarget {
 public:
  // x, y of one size, hidden >= 1, noise > 0; begin_step() takes batch_frac of the rows, all where it is 1.
  MlpRegression(std::vector<double> x, std::vector<double> y, int64_t hidden, double noise, double batch_frac = 1);

  void begin_step(uint64_t seed, int64_t step) override;

  // Rows of the next evaluations; an empty list means all rows.
  void set_batch(std::vector<int64_t> rows);
  int64_t rows() const { return static_cast<int64_t>(x_.size()); }
  double loss_scale() const override { return 1.0 / static_cast<double>(rows()); }

 private:
  double log_density(const double* theta, double* score) override;
  int64_t data_used() const override { return static_cast<int64_t>(batch_.size()); }

  std::vector<double> x_, y_;
  size_t hidden_;
  double noise_;
  RowBatches batches_;
  std::vector<int64_t> batch_;
  std::vector<double> activation_;  // [H] scratch
};

}  // namespace scorevi::targets
