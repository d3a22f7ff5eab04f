// What NUTS adapts while it warms up: the step size, and when the mass matrix changes.
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::inference {

// Dual averaging of log(step size) towards a mean acceptance probability (Hoffman and Gelman 2014, algorithm 5, with
// gamma 0.05, t0 10, kappa 0.75).
class StepSizeAdapter {
 public:
  StepSizeAdapter(double step_size, double target_accept);
  // Forgets what it learnt and begins at step_size.
  void restart(double step_size);
  // Tells the acceptance probability of the last trajectory.
  void update(double accept);
  double step_size() const { return step_size_; }
  // The average to use once warm-up is over; step_size() before the first update.
  double averaged() const;

 private:
  double target_accept_;
  double step_size_ = 0, centre_ = 0, error_ = 0, log_average_ = 0;
  int64_t count_ = 0;
};

// The iterations [begin, end) whose positions estimate one mass matrix.
struct Window {
  int64_t begin, end;
};

// None below 20 iterations; below 150 one window, after 15 % and before the last 10 % of them.
std::vector<Window> mass_windows(int64_t warmup);

}  // namespace scorevi::inference
