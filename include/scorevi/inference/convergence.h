// Whether a run has arrived: looks at the ELBO now and then, compares windows of looks, and keeps the best q seen.
//
// The windows are the last two of n looks, each max(window, n / 4) long: with few or noisy looks the verdict waits
// until it is safe. Converged: the mean ELBO of the two differs, with two standard errors, by less than
// tolerance * max(1, sd of the log weights) nats, so a fit that stays poor needs not be settled to the last digit;
// and the gradient norm is small where gradient_tolerance asks for that. Diverged: the ELBO of `window` looks in a row
// is not finite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/inference/engine.h"

namespace scorevi::inference {

struct ConvergenceOptions {
  bool stop = false;     // ends the run on a verdict; otherwise it is only told
  int64_t every = 100;   // steps between looks
  int64_t samples = 50;  // draws of q for one look, each an evaluation; at least 2
  int64_t window = 5;    // looks; at least 2
  double tolerance = 0.1;
  double gradient_tolerance = 0;  // on the mean StepStats::gradient_norm of the later window; 0: not asked for
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const ConvergenceOptions& options);

enum class Verdict { kUndecided, kConverged, kDiverged };

struct ConvergenceLook {
  int64_t step = 0;                     // steps made
  double elbo = 0, standard_error = 0;  // nats; of this look
  double gradient_norm = 0;             // mean over the steps since the last look; NaN where the method has none
};

class Convergence {
 public:
  explicit Convergence(const ConvergenceOptions& options);

  // After a step of a run; draws of q are a function of (info.seed, info.step). True: end the run.
  bool after_step(LogDensity& target, const variational::Family& q, const StepInfo& info, const StepStats& stats);

  Verdict verdict() const { return verdict_; }
  const std::vector<ConvergenceLook>& looks() const { return looks_; }
  // Mean ELBO of the last window and its standard error, by the looks' own errors or by their spread, whichever is
  // larger (mini-batches differ between looks); before the first window is full NaN.
  ConvergenceLook moving() const;
  int64_t evaluations() const { return evaluations_; }

  // For exact densities (with mini-batches the luckiest one wins): the q with the highest ELBO less one standard error:
  // its step, -1 before the first finite look, and a way to put it back. Costs one copy of the parameters.
  int64_t best_step() const { return best_step_; }
  void restore_best(variational::Family& q) const;

 private:
  void look(LogDensity& target, const variational::Family& q, const StepInfo& info);
  Verdict judge() const;
  ConvergenceLook mean_of(size_t begin, size_t end) const;
  size_t window() const;

  ConvergenceOptions options_;
  Verdict verdict_ = Verdict::kUndecided;
  std::vector<ConvergenceLook> looks_;
  int64_t evaluations_ = 0;
  double gradient_sum_ = 0;
  int64_t gradient_steps_ = 0;
  int64_t best_step_ = -1;
  double best_bound_ = 0;
  std::vector<at::Tensor> best_;
};

}  // namespace scorevi::inference
