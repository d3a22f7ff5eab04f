// A target whose two scores per step average to the exact expectations under q, whatever noise was drawn.
#pragma once

#include "unit/inference/tools.h"

namespace scorevi::test {

// For a Gaussian target N(mu, P^-1) and two samples per step: mean_i s_i = -P (m - mu) and
// mean_i s_i eps_i = -diag(P) sigma to rounding, so that engines which use the noise through these two means alone
// (closed_form, advi, psm analytic with K = 1) move without any randomness.
class ExpectationTarget {
 public:
  ExpectationTarget(const DiagonalGaussian& q, at::Tensor mu, at::Tensor precision)
      : q_(q),
        mu_(std::move(mu)),
        precision_(std::move(precision)),
        target_(q.mean(), [this](const at::Tensor&, int64_t evaluation) { return answer(evaluation); }) {}

  ExpectationTarget(const ExpectationTarget&) = delete;
  ExpectationTarget& operator=(const ExpectationTarget&) = delete;

  FunctionTarget& target() { return target_; }

 private:
  inference::Evaluation answer(int64_t evaluation) {
    if (evaluation % 2 == 1) return {0.0, second_, 0};
    const at::Tensor first_eps = noise(mu_, 7, evaluation / 2, 0);
    const at::Tensor second_eps = noise(mu_, 7, evaluation / 2, 1);
    const at::Tensor mean = -precision_.mv(q_.mean() - mu_);
    const at::Tensor with_noise = -precision_.diagonal() * q_.log_std().exp();
    const at::Tensor first = 2 * (with_noise - mean * second_eps) / (first_eps - second_eps);
    second_ = 2 * mean - first;
    return {0.0, first, 0};
  }

  DiagonalGaussian q_;  // shares the buffers of the q that moves
  at::Tensor mu_, precision_, second_;
  FunctionTarget target_;
};

}  // namespace scorevi::test
