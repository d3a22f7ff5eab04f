#include "scorevi/inference/sgld.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/zeros.h>

#include "expect_option.h"
#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "whole_target.h"

namespace scorevi::inference {
namespace {

// Of a chain of `steps` steps, how many points are kept.
int64_t kept_of(const SgldOptions& options, int64_t steps) {
  return std::max<int64_t>(steps - options.burn_in, 0) / options.thin;
}

double step_size_at(const SgldOptions& options, int64_t step) {
  return options.step_size * std::pow(1 + static_cast<double>(step) / options.decay_start, -options.decay_power);
}

// The chain's points, density and step sizes as they come.
class Trace {
 public:
  Trace(const SgldOptions& options, int64_t dim) : options_(options), dim_(dim) {
    const auto kept = static_cast<size_t>(kept_of(options, options.steps));
    theta_.reserve(kept * static_cast<size_t>(dim));
  }

  void add(const Vector& theta, double log_density, double step_size) {
    theta_.insert(theta_.end(), theta.begin(), theta.end());
    log_density_.push_back(log_density);
    step_size_.push_back(step_size);
  }

  Draws finish() const {
    const auto kept = static_cast<int64_t>(log_density_.size());
    Draws draws;
    draws.theta = to_tensor(theta_).view({kept, dim_});
    draws.log_density = to_tensor(log_density_);
    draws.chain = at::zeros({kept}, at::TensorOptions(at::kLong));
    if (options_.decay_power > 0 && kept > 0) {
      draws.weight = to_tensor(step_size_);
      draws.weight /= draws.weight.sum();
    }
    draws.accept = 1;
    return draws;
  }

 private:
  const SgldOptions& options_;
  int64_t dim_;
  Vector theta_, log_density_, step_size_;
};

}  // namespace

void validate(const SgldOptions& options) {
  const auto finite_above_0 = [](double value) { return value > 0 && std::isfinite(value); };
  expect_option(options.steps >= 1 && options.steps <= (int64_t{1} << 32), "sgld.steps", options.steps, "1 to 2^32");
  expect_option(options.burn_in >= 0 && options.burn_in < options.steps, "sgld.burn_in", options.burn_in,
                "at least 0 and below sgld.steps");
  expect_option(options.thin >= 1 && options.thin <= options.steps - options.burn_in, "sgld.thin", options.thin,
                "1 to the steps after burn-in");
  expect_option(finite_above_0(options.step_size), "sgld.step_size", options.step_size, "a finite number above 0");
  expect_option(options.decay_power >= 0 && options.decay_power <= 1, "sgld.decay_power", options.decay_power,
                "0 to 1");
  expect_option(finite_above_0(options.decay_start), "sgld.decay_start", options.decay_start,
                "a finite number above 0");
  expect_option(options.max_refused >= 0, "sgld.max_refused", options.max_refused, "at least 0");
}

int64_t bytes_needed(const SgldOptions& options, int64_t dim) {
  const double bytes = sizeof(double) * static_cast<double>(dim) * static_cast<double>(kept_of(options, options.steps));
  return static_cast<int64_t>(std::min(2 * bytes, 0x1p62));  // the trace and the tensor made of it
}

Draws sample_sgld(LogDensity& raw_target, const SgldOptions& options, const at::Tensor& start,
                  const SamplerCallback& callback) {
  validate(options);
  WholeTarget target(raw_target);
  SCOREVI_CHECK_OP(start.numel(), ==, target.dim());
  const auto evaluate = [&](int64_t step, const Vector& theta, Vector& score) {
    if (options.before_step) options.before_step(step);
    return target(theta, score);
  };
  Vector theta = to_vector(start), score, next, next_score;
  double log_density = evaluate(/*step=*/0, theta, score);
  if (!std::isfinite(log_density))
    throw Error(ErrorKind::kNumerical,
                "sgld: log density or score is not finite at the start, expected a start inside "
                "the support of the target");
  Trace trace(options, target.dim());
  int64_t refused = 0, refused_in_a_row = 0, made = 0;
  bool stopped = false;
  double step_size = options.step_size;
  while (made < options.steps && !stopped) {
    const CounterRng noise(options.seed, Purpose::kEngine, static_cast<uint32_t>(made));
    step_size = step_size_at(options, made);
    made += 1;
    next = theta;
    add_scaled(0.5 * step_size, score, next);
    for (size_t j = 0; j < next.size(); ++j) next[j] += std::sqrt(step_size) * noise.normal(j);
    const double next_log_density = evaluate(made, next, next_score);
    const bool refuse = !std::isfinite(next_log_density);
    refused += refuse ? 1 : 0;
    refused_in_a_row = refuse ? refused_in_a_row + 1 : 0;
    if (!refuse) {
      theta.swap(next);
      score.swap(next_score);
      log_density = next_log_density;
    }
    const int64_t after = made - options.burn_in;
    if (after > 0 && after % options.thin == 0) trace.add(theta, log_density, step_size);
    stopped = refused_in_a_row > options.max_refused;
    if (callback && callback({made, options.steps, after <= 0, target.evaluations(), refused, step_size}))
      stopped = stopped || made < options.steps;
  }
  Draws draws = trace.finish();
  draws.evaluations = target.evaluations();
  draws.step_size = step_size;
  draws.divergent = refused;
  draws.stopped = stopped;
  summarise(draws);
  return draws;
}

}  // namespace scorevi::inference
