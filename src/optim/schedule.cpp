#include "scorevi/optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "scorevi/core/error.h"
#include "scorevi/core/factory.h"
#include "scorevi/core/format.h"

namespace scorevi::optim {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSmallestChange = 1e-8;

void require(bool holds, const char* key, double value, const char* expected) {
  if (!holds)
    throw Error(ErrorKind::kUsage,
                std::string("schedule.") + key + ": got " + format_double(value) + ", expected " + expected);
}

void validate(const ScheduleOptions& o) {
  find_named(schedules(), "schedule.name", o.name);
  require(o.warmup_steps >= 0, "warmup_steps", static_cast<double>(o.warmup_steps), ">= 0");
  require(o.gamma > 0 && o.gamma <= 1, "gamma", o.gamma, "> 0 and <= 1");
  require(o.step_size >= 1, "step_size", static_cast<double>(o.step_size), ">= 1");
  require(o.min_lr_frac >= 0, "min_lr_frac", o.min_lr_frac, ">= 0");
  require(o.power > 0 && std::isfinite(o.power), "power", o.power, "> 0");
  require(o.factor > 0 && o.factor <= 1, "factor", o.factor, "> 0 and <= 1");
  require(o.patience >= 0, "patience", static_cast<double>(o.patience), ">= 0");
  require(o.threshold >= 0 && o.threshold < 1, "threshold", o.threshold, ">= 0 and < 1");
  if (!std::is_sorted(o.milestones.begin(), o.milestones.end()))
    throw Error(ErrorKind::kUsage, "schedule.milestones: got falling numbers, expected ascending epochs");
  require(o.cooldown >= 0, "cooldown", static_cast<double>(o.cooldown), ">= 0");
}

}  // namespace

const std::vector<ScheduleInfo>& schedules() {
  static const std::vector<ScheduleInfo> kTable = {
      {"constant", "lr throughout"},
      {"step", "times gamma every step_size epochs"},
      {"multistep", "times gamma at each milestone epoch"},
      {"exponential", "times gamma every epoch"},
      {"cosine", "half a cosine from lr to min_lr_frac of it"},
      {"linear", "a straight line from lr to min_lr_frac of it"},
      {"polynomial", "(1 - progress)^power, down to min_lr_frac"},
      {"plateau", "times factor when the monitored value stops improving"},
  };
  return kTable;
}

double step_factor(int64_t t, int64_t step_size, double gamma) {
  const int64_t passed = t / step_size;
  return std::pow(gamma, static_cast<double>(passed));
}

double multistep_factor(int64_t t, const std::vector<int64_t>& milestones, double gamma) {
  const auto passed = std::count_if(milestones.begin(), milestones.end(), [t](int64_t m) { return m <= t; });
  return std::pow(gamma, static_cast<double>(passed));
}

double exponential_factor(int64_t t, double gamma) { return std::pow(gamma, static_cast<double>(t)); }

double cosine_factor(double t, double t_max, double low) {
  return low + (1 - low) / 2 * (1 + std::cos(kPi * t / t_max));
}

double linear_factor(double t, double total, double start, double end) {
  return start + (end - start) * std::min(t, total) / total;
}

double polynomial_factor(double t, double total, double power) {
  return std::pow(1 - std::min(t, total) / total, power);
}

double alpha_at(int64_t t, int64_t total, double alpha_max) {
  return total <= 1 ? 0 : alpha_max * static_cast<double>(t) / static_cast<double>(total - 1);
}

void Plateau::observe(double value) {
  const bool better = std::isfinite(value) && (!seen_ || value < best_ - std::abs(best_) * options_.threshold);
  if (better) {
    best_ = value;
    seen_ = true;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (cooldown_ > 0) {
    --cooldown_;
    bad_ = 0;
  }
  if (bad_ <= options_.patience) return;
  const double next = std::max(factor_ * options_.factor, options_.min_lr_frac);
  if (factor_ - next > kSmallestChange) factor_ = next;
  bad_ = 0;
  cooldown_ = options_.cooldown;
}

void Plateau::save(params::StateDict& state) const {
  state.set_double("schedule.factor", factor_);
  state.set_double("schedule.best", best_);
  state.set_int("schedule.seen", seen_ ? 1 : 0);
  state.set_int("schedule.bad", bad_);
  state.set_int("schedule.cooldown", cooldown_);
}

void Plateau::load(const params::StateDict& state) {
  factor_ = state.get_double("schedule.factor");
  best_ = state.get_double("schedule.best");
  seen_ = state.get_int("schedule.seen") != 0;
  bad_ = state.get_int("schedule.bad");
  cooldown_ = state.get_int("schedule.cooldown");
}

Schedule::Schedule(const ScheduleOptions& options, int64_t total_steps, int64_t steps_per_epoch)
    : options_(options),
      total_steps_(total_steps),
      steps_per_epoch_(std::max<int64_t>(1, steps_per_epoch)),
      plateau_(options) {
  validate(options_);
}

double Schedule::factor(int64_t step) const {
  const double warmup =
      step < options_.warmup_steps ? static_cast<double>(step + 1) / static_cast<double>(options_.warmup_steps) : 1;
  return warmup * curve(step);
}

double Schedule::curve(int64_t step) const {
  const int64_t epoch = step / steps_per_epoch_;
  const double t = static_cast<double>(std::max<int64_t>(0, step - options_.warmup_steps));
  const double total = static_cast<double>(std::max<int64_t>(1, total_steps_ - options_.warmup_steps));
  const double low = options_.min_lr_frac;
  if (options_.name == "step") return step_factor(epoch, options_.step_size, options_.gamma);
  if (options_.name == "multistep") return multistep_factor(epoch, options_.milestones, options_.gamma);
  if (options_.name == "exponential") return exponential_factor(epoch, options_.gamma);
  if (options_.name == "cosine") return cosine_factor(t, total, low);
  if (options_.name == "linear") return linear_factor(t, total, 1, low);
  if (options_.name == "polynomial") return low + (1 - low) * polynomial_factor(t, total, options_.power);
  if (options_.name == "plateau") return plateau_.factor();
  return 1;
}

void Schedule::observe(double value) {
  if (options_.name == "plateau") plateau_.observe(value);
}

void Schedule::save(params::StateDict& state) const { plateau_.save(state); }

void Schedule::load(const params::StateDict& state) { plateau_.load(state); }

}  // namespace scorevi::optim
