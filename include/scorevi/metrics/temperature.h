// Temperature scaling: one number T fitted on the validation split.
//   NLL(T) = -(1/N) sum_n log_softmax(z_n / T)[y_n],  T in [0.01, 100], nats
// z may be logits or averaged log-probabilities: the formula is the same. NLL is convex in 1/T.
// Source: Guo et al., On Calibration of Modern Neural Networks (2017), sec. 4.2.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scorevi::metrics {

constexpr double kMinTemperature = 0.01;
constexpr double kMaxTemperature = 100.0;

struct TemperatureFit {
  enum class Where { kInterior, kLowerBound, kUpperBound, kFlat };
  double temperature = 1.0;  // kFlat: the NLL does not depend on T, 1 is kept
  Where where = Where::kFlat;
  double nll_before = 0.0;  // at T = 1
  double nll_after = 0.0;
  std::int64_t n = 0;        // samples used
  std::int64_t skipped = 0;  // samples whose label has log-probability -infinity: no T helps them
};

// logits [N, C] float or double, targets [N] in 0..C-1. |ln T - ln T_best| <= 1e-10 inside the
// bounds. Without usable samples the fit is flat with NaN NLLs. Errors: NaN or +infinity
// kNumerical, bad target kData.
TemperatureFit fit_temperature(const at::Tensor& logits, const at::Tensor& targets);

// log_softmax(log_probs / T) row by row, [N, C] double on the CPU. T > 0.
at::Tensor apply_temperature(const at::Tensor& log_probs, double temperature);

}  // namespace scorevi::metrics
