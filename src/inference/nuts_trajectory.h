// One trajectory of NUTS.
#pragma once

#include "nuts_metric.h"

namespace scorevi::inference {

// A point that the target accepts.
struct Position {
  Vector theta, gradient;
  double log_density = 0;
};

struct TrajectoryOptions {
  double step_size = 0;
  int64_t max_depth = 10;
  double max_energy_error = 1000;
};

struct TrajectoryResult {
  Position next;
  double accept = 0;  // mean of min(1, exp(-energy error)) over the points visited
  bool divergent = false;
  bool at_depth_limit = false;
};

// theta and p after one leapfrog step of the given (signed) size; false where the new point is not finite.
bool leapfrog(WholeTarget& target, const Metric& metric, double step, Position& at, Vector& momentum);

// From `start` with a momentum drawn from `momenta`; `choices` decides directions and which point is taken.
TrajectoryResult run_trajectory(WholeTarget& target, const Metric& metric, const TrajectoryOptions& options,
                                const Position& start, const CounterRng& momenta, const CounterRng& choices);

}  // namespace scorevi::inference
