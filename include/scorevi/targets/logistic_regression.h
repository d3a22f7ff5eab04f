// Bayesian logistic regression: the smallest posterior with data, used to test mini-batch scores.
#pragma once

#include <vector>

#include "scorevi/targets/analytic_target.h"
#include "scorevi/targets/row_batches.h"

namespace scorevi::targets {

// theta = (w_1 .. w_P, bias), P(y = 1 | x) = 1 / (1 + exp(-(w.x + bias))). On a batch B of the N rows
//   log_density = -(N / (temperature |B|)) sum_B log(1 + exp(-s_i z_i)),  z = w.x + bias, s = 2y - 1   (no prior)
// which is unbiased for the whole data set. loss_scale() is temperature / N.
class LogisticRegression final : public AnalyticTarget {
 public:
  // x [N, P], y [N] of 0 and 1, both of one floating type; begin_step() takes batch_frac of the rows, all where it
  // is 1. Throws Error(kUsage) unless temperature > 0.
  LogisticRegression(at::Tensor x, at::Tensor y, double temperature = 1.0, double batch_frac = 1.0);

  void begin_step(uint64_t seed, int64_t step) override;

  // Rows of the next evaluations; an empty list means all rows.
  void set_batch(const std::vector<int64_t>& rows);
  int64_t rows() const { return x_.size(0); }

  inference::Evaluation evaluate(const at::Tensor& theta) override;
  bool has_hessian_product() const override { return true; }
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override;
  double loss_scale() const override { return temperature_ / static_cast<double>(rows()); }

 private:
  // N / (temperature |B|).
  double row_weight() const;

  at::Tensor x_;  // [N, P + 1], the last column is 1
  at::Tensor y_;
  at::Tensor batch_x_, batch_y_;
  double temperature_;
  RowBatches batches_;
};

}  // namespace scorevi::targets
