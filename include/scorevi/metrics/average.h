// Posterior averaging of class probabilities, streaming over weight samples.
//   log_mean[n][k] = ln (1/S) sum_s p_s(k | x_n) = logsumexp_s log p_s(k | x_n) - ln S
// kept as a running logsumexp, so memory does not grow with S and nothing underflows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace scorevi::metrics {

// Averages S predictions for `rows` inputs and `classes` classes. State: rows * (classes + 1)
// doubles.
//
//   for each weight sample s: for each batch: average.add(first_row, log_probs);
//   average.end_sample();
//
// Sums are in double, element by element, so the result does not depend on the cutting into
// batches.
class LogMeanExp {
 public:
  LogMeanExp(std::int64_t rows, std::int64_t classes);

  // log_probs [B, C] of this weight sample for rows first_row .. first_row+B-1 (float or double,
  // any device). -infinity is a probability of 0; NaN and +infinity are an Error kNumerical.
  void add(std::int64_t first_row, const at::Tensor& log_probs);

  // Closes one weight sample; every row must have been given exactly once.
  void end_sample();

  std::int64_t samples() const { return samples_; }

  // [rows, classes] double: log of the averaged probabilities. At least one closed sample.
  at::Tensor log_mean() const;

  // [rows] double: average over weight samples of the entropy -sum_k p ln p, nats (for the mutual
  // information).
  at::Tensor expected_entropy() const;

 private:
  std::int64_t rows_, classes_;
  std::int64_t samples_ = 0;
  std::int64_t rows_given_ = 0;      // of the open sample
  std::vector<std::int32_t> given_;  // samples seen per row
  std::vector<double> log_sum_;      // [rows, classes]
  std::vector<double> entropy_sum_;  // [rows]
};

}  // namespace scorevi::metrics
