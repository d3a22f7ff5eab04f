// The progress bar of a training run: one line on a terminal that rewrites itself; nothing elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace scorevi::run {

class ProgressBar {
 public:
  // `enabled` and stderr being a terminal decide whether anything is drawn.
  ProgressBar(bool enabled, int64_t total_steps, int64_t first_step);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // At most ten redraws a second. `rows` were used since the last call.
  void update(int64_t step, int64_t epoch, int64_t epochs, double loss, double lr, int64_t rows);
  // Removes the line, so that a log line can be printed; the next update draws it again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool drawn_ = false;
  int64_t total_steps_, first_step_;
  int64_t rows_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_;
};

}  // namespace scorevi::run
