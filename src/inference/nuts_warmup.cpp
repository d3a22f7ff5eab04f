#include "nuts_warmup.h"

#include <algorithm>
#include <cmath>

namespace scorevi::inference {

StepSizeAdapter::StepSizeAdapter(double step_size, double target_accept) : target_accept_(target_accept) {
  restart(step_size);
}

void StepSizeAdapter::restart(double step_size) {
  step_size_ = step_size;
  centre_ = std::log(10 * step_size);
  error_ = log_average_ = 0;
  count_ = 0;
}

void StepSizeAdapter::update(double accept) {
  constexpr double kGamma = 0.05, kDelay = 10, kKappa = 0.75;
  count_ += 1;
  const auto n = static_cast<double>(count_);
  error_ += (target_accept_ - accept - error_) / (n + kDelay);
  // The limits hold off overflow where every or no trajectory is accepted.
  const double log_step = std::clamp(centre_ - error_ * std::sqrt(n) / kGamma, -500.0, 500.0);
  log_average_ += (log_step - log_average_) * std::pow(n, -kKappa);
  step_size_ = std::exp(log_step);
}

double StepSizeAdapter::averaged() const { return count_ > 0 ? std::exp(log_average_) : step_size_; }

std::vector<Window> mass_windows(int64_t warmup) {
  if (warmup < 20) return {};
  int64_t begin = 75, last = warmup - 50, size = 25;
  if (begin + size > last) {
    begin = warmup * 15 / 100;
    last = warmup - warmup / 10;
    size = last - begin;
  }
  std::vector<Window> windows;
  for (; begin < last; size *= 2) {
    const bool another_fits = begin + 3 * size <= last;
    const int64_t end = another_fits ? begin + size : last;
    windows.push_back({begin, end});
    begin = end;
  }
  return windows;
}

}  // namespace scorevi::inference
