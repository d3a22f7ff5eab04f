// How far a training run is: everything beside q, the engine and the schedule that a resumed run must know.
#pragma once

#include <cstdint>
#include <limits>

#include "scorevi/inference/engine.h"
#include "scorevi/params/state_dict.h"

namespace scorevi::run {

// Sums over the steps of the running epoch; means make a row of metrics.csv.
struct EpochSums {
  int64_t steps = 0;    // made
  int64_t refused = 0;  // of them: changed nothing, and count for nothing else here
  double loss = 0, nll = 0, matching = 0, proximal = 0, gradient_norm = 0;
  double kl = std::numeric_limits<double>::quiet_NaN();  // of the last step
  double alpha = 0;                                      // of the last step

  // `loss_scale` turns -log_density into the mean negative log-likelihood of a row.
  void add(const inference::StepStats& stats, double loss_scale);
  double mean(double sum) const;
};

struct RunState {
  int64_t batches_per_epoch = 0;
  int64_t step = 0;  // steps made
  EpochSums epoch;
  double best = std::numeric_limits<double>::quiet_NaN();  // best monitored value so far
  int64_t best_step = -1;                                  // steps made when it was seen
  int64_t bad_evaluations = 0;
  bool stopped_early = false;
  int64_t evaluations = 0;  // network gradient evaluations
  int64_t refused_steps = 0, refused_in_a_row = 0;
  // Lengths of metrics.csv and steps.jsonl when this state was saved: what was written later belongs to steps that a
  // resumed run makes again.
  int64_t metrics_bytes = 0;
  int64_t steps_bytes = 0;

  void save(params::StateDict& dict) const;
  void load(const params::StateDict& dict);
};

}  // namespace scorevi::run
