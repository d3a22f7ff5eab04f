// The plain loop around an engine, for analytic targets and for programs that bring their own LogDensity.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "scorevi/inference/convergence.h"
#include "scorevi/inference/engine.h"
#include "scorevi/inference/observer.h"

namespace scorevi::inference {

struct LoopOptions {
  int64_t steps = 1000;    // of the whole run
  int64_t first_step = 0;  // steps made before, when a run is continued
  uint64_t seed = 0;
  // A step whose -log_density * loss_scale exceeds this is refused.
  double max_loss = std::numeric_limits<double>::infinity();
  // Steps in a row that may be refused (non-finite or exploded; nothing changes) before the run stops.
  int64_t max_nonfinite_steps = 0;
  // The same of updates that were undone because they left no covariance (gsm, bam, closed forms of a full Gaussian).
  int64_t max_bad_updates = 100;
  // Factor on every learning rate at a step; empty: 1.
  std::function<double(int64_t step)> lr_factor;
  // Called before each step, for example to choose the target's mini-batch; may be empty.
  std::function<void(int64_t step)> before_step;
  // Judges the run as it goes, and ends it where its options say so; nullptr: the run makes all its steps.
  Convergence* convergence = nullptr;
};

enum class Termination {
  kMaxSteps,   // all steps made
  kConverged,  // ended by LoopOptions::convergence
  kDiverged,   // the last step met a non-finite value or left the limits (RunSummary::last.status), or the ELBO did
};

struct RunSummary {
  Termination termination = Termination::kMaxSteps;
  int64_t steps = 0;          // made in this call, refused ones included
  int64_t refused_steps = 0;  // that changed nothing
  int64_t evaluations = 0;    // of the target, by the engine
  StepStats last;             // of the last step
  std::string message;        // one line for people
};

// Steps from first_step to steps, or until the run has converged or diverged. Never throws for numerical trouble.
RunSummary run_engine(Engine& engine, LogDensity& target, variational::Family& family, const LoopOptions& options,
                      Observer* observer = nullptr);

// What a status means, with the parameter concerned: "score is not finite at fc1.weight[3,7] (12 of 30 entries)".
std::string describe_trouble(const StepStats& stats, const params::FlatLayout& layout);

}  // namespace scorevi::inference
