// Learning-rate schedules, as a factor on every configured rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/optim/options.h"
#include "scorevi/params/state_dict.h"

namespace scorevi::optim {

struct ScheduleInfo {
  std::string name;
  std::string help;
};
// In the order in which they are listed to people.
const std::vector<ScheduleInfo>& schedules();

// The curves, t = 0, 1, ... counted in epochs or steps as the caller likes:
//   step          gamma^floor(t / step_size)
//   multistep     gamma^(number of milestones <= t); one listed twice counts twice
//   exponential   gamma^t
//   cosine        low + (1 - low)/2 (1 + cos(pi t/t_max)); rises again beyond t_max
//   linear        start + (end - start) min(t, total)/total
//   polynomial    (1 - min(t, total)/total)^power
double step_factor(int64_t t, int64_t step_size, double gamma);
double multistep_factor(int64_t t, const std::vector<int64_t>& milestones, double gamma);
double exponential_factor(int64_t t, double gamma);
double cosine_factor(double t, double t_max, double low);
double linear_factor(double t, double total, double start, double end);
double polynomial_factor(double t, double total, double power);

// alpha_t = alpha_max t/(T-1) for t = 0 .. T-1; T = 1 gives 0 (the proximal weight of score matching).
double alpha_at(int64_t t, int64_t total, double alpha_max);

// Multiplies the rate by `factor` after more than `patience` observations in a row that are not better than the best:
// better is value < best - |best| threshold. During `cooldown` observations after a change none counts as bad. The rate
// never falls below min_lr_frac; a change of at most 1e-8 is not made.
class Plateau {
 public:
  explicit Plateau(const ScheduleOptions& options) : options_(options) {}
  void observe(double value);  // lower is better; not-a-number counts as bad
  double factor() const { return factor_; }
  void save(params::StateDict& state) const;
  void load(const params::StateDict& state);

 private:
  ScheduleOptions options_;
  double factor_ = 1;
  double best_ = 0;
  bool seen_ = false;
  int64_t bad_ = 0, cooldown_ = 0;
};

// The schedule of a run: warm-up over the first W steps, (t + 1)/W of the rate, then the curve; cosine, linear and
// polynomial run over the steps after the warm-up.
class Schedule {
 public:
  // Throws Error(kUsage) for an unknown name or an option out of range.
  Schedule(const ScheduleOptions& options, int64_t total_steps, int64_t steps_per_epoch);

  double factor(int64_t step) const;
  // The monitored validation value, once per evaluation (plateau; others ignore it).
  void observe(double value);
  void save(params::StateDict& state) const;
  void load(const params::StateDict& state);

 private:
  double curve(int64_t step) const;

  ScheduleOptions options_;
  int64_t total_steps_, steps_per_epoch_;
  Plateau plateau_;
};

}  // namespace scorevi::optim
