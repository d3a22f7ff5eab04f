#include "scorevi/inference/convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expect_option.h"
#include "scorevi/core/check.h"
#include "scorevi/inference/log_weights.h"

namespace scorevi::inference {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void validate(const ConvergenceOptions& options) {
  expect_option(options.every >= 1, "convergence.every", options.every, "at least 1");
  expect_option(options.samples >= 2, "convergence.samples", options.samples, "at least 2");
  expect_option(options.window >= 2, "convergence.window", options.window, "at least 2");
  expect_option(options.tolerance > 0, "convergence.tolerance", options.tolerance, "above 0");
  expect_option(options.gradient_tolerance >= 0, "convergence.gradient_tolerance", options.gradient_tolerance,
                "at least 0");
}

Convergence::Convergence(const ConvergenceOptions& options) : options_(options) { validate(options); }

bool Convergence::after_step(LogDensity& target, const variational::Family& q, const StepInfo& info,
                             const StepStats& stats) {
  if (std::isfinite(stats.gradient_norm)) {  // a refused step has none
    gradient_sum_ += stats.gradient_norm;
    gradient_steps_ += 1;
  }
  if ((info.step + 1) % options_.every != 0) return false;
  look(target, q, info);
  gradient_sum_ = 0;
  gradient_steps_ = 0;
  verdict_ = judge();
  return options_.stop && verdict_ != Verdict::kUndecided;
}

void Convergence::look(LogDensity& target, const variational::Family& q, const StepInfo& info) {
  const kernels::NoiseKey key{info.seed, static_cast<uint32_t>(info.step), /*sample=*/0, Purpose::kEngine};
  const ElboEstimate elbo = elbo_of(log_weights(target, q, key, options_.samples));
  evaluations_ += options_.samples;
  looks_.push_back(
      {info.step + 1, elbo.value, elbo.standard_error, gradient_sum_ / static_cast<double>(gradient_steps_)});
  const double bound = elbo.value - elbo.standard_error;
  if (!std::isfinite(bound) || (best_step_ >= 0 && bound <= best_bound_)) return;
  best_bound_ = bound;
  best_step_ = info.step + 1;
  best_.clear();
  for (const auto& [name, values] : q.parameters()) best_.push_back(values.clone());
}

size_t Convergence::window() const { return std::max(static_cast<size_t>(options_.window), looks_.size() / 4); }

ConvergenceLook Convergence::mean_of(size_t begin, size_t end) const {
  const auto n = static_cast<double>(end - begin);
  ConvergenceLook mean{looks_[end - 1].step, 0, 0, 0};
  double own_variance = 0, spread = 0;
  for (size_t i = begin; i < end; ++i) {
    mean.elbo += looks_[i].elbo / n;
    mean.gradient_norm += looks_[i].gradient_norm / n;
    own_variance += looks_[i].standard_error * looks_[i].standard_error / (n * n);
  }
  for (size_t i = begin; i < end; ++i) spread += std::pow(looks_[i].elbo - mean.elbo, 2) / (n * (n - 1));
  mean.standard_error = std::sqrt(std::max(own_variance, spread));
  return mean;
}

ConvergenceLook Convergence::moving() const {
  if (looks_.size() < window()) return {looks_.empty() ? 0 : looks_.back().step, kNaN, kNaN, kNaN};
  return mean_of(looks_.size() - window(), looks_.size());
}

Verdict Convergence::judge() const {
  const size_t n = looks_.size(), w = window();
  const auto least = static_cast<size_t>(options_.window);
  const auto broken = [](const ConvergenceLook& one) { return !std::isfinite(one.elbo); };
  if (n >= least && std::all_of(looks_.end() - static_cast<int64_t>(least), looks_.end(), broken))
    return Verdict::kDiverged;
  if (n < 2 * w) return Verdict::kUndecided;
  const ConvergenceLook earlier = mean_of(n - 2 * w, n - w), later = mean_of(n - w, n);
  const double error = std::hypot(earlier.standard_error, later.standard_error);
  const double spread = looks_.back().standard_error * std::sqrt(static_cast<double>(options_.samples));
  const double allowed = options_.tolerance * std::max(1.0, spread);
  // Written so that a NaN, as after a look that was not finite, is not convergence.
  const bool settled = std::abs(later.elbo - earlier.elbo) + 2 * error <= allowed;
  const bool flat = options_.gradient_tolerance == 0 || later.gradient_norm <= options_.gradient_tolerance;
  return settled && flat ? Verdict::kConverged : Verdict::kUndecided;
}

void Convergence::restore_best(variational::Family& q) const {
  SCOREVI_CHECK_OP(best_step_, >=, 0);
  size_t i = 0;
  for (const auto& [name, values] : q.parameters()) at::Tensor(values).copy_(best_[i++]);
}

}  // namespace scorevi::inference
