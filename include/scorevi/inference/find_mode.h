// The mode of a target by L-BFGS with a strong Wolfe line search: the centre of a Laplace approximation, or a start.
//
// For exact scores: the noise of mini-batches misleads the line search. Source: Nocedal and Wright, Numerical
// Optimization (2006), ch. 3 and 7. The line search bisects a bracket, with secant steps on the slope where they fit;
// a point with a non-finite density or score is too far.
#pragma once

#include <functional>

#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

struct FindModeOptions {
  int64_t max_iterations = 1000;
  int64_t memory = 20;  // pairs kept of the last steps, two [D] each
  // Converged once the next step promises a smaller rise of the log density than this (nats): the mode is then about
  // sqrt(2 tolerance) standard deviations away, whatever the scales of the coordinates.
  double tolerance = 1e-12;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const FindModeOptions& options);

enum class ModeOutcome {
  kConverged,
  kMaxIterations,
  kStalled,    // no point along the search direction is better: rounding, or a score that is not the gradient
  kUnbounded,  // the log density rose beyond 1e15 or theta beyond 1e100: there may be no mode
  kStopped,    // by the callback
};

struct Mode {
  ModeOutcome outcome = ModeOutcome::kMaxIterations;
  at::Tensor theta;          // [D] double: the best point found, whatever the outcome
  double log_density = 0;    // there, prior included
  double gradient_norm = 0;  // Euclidean
  int64_t iterations = 0;
  int64_t evaluations = 0;
};

struct ModeProgress {
  int64_t iteration = 0;
  int64_t evaluations = 0;
  double log_density = 0;
  double gradient_norm = 0;
};

// start [D]; Error(kNumerical) when density or score is not finite there. The callback, called after every
// iteration, says true to stop. The target is double on the CPU.
Mode find_mode(LogDensity& target, const at::Tensor& start, const FindModeOptions& options = {},
               const std::function<bool(const ModeProgress&)>& callback = {});

}  // namespace scorevi::inference
