#include "scorevi/inference/nuts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "expect_option.h"
#include "nuts_trajectory.h"
#include "nuts_warmup.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::inference {
namespace {

// Streams of one chain: the `sample` of its generators is chain * kStreams + stream, their `step` the iteration.
enum Stream : uint32_t { kMomentum, kChoice, kStart, kStepSize, kStreams };

class Chain {
 public:
  Chain(WholeTarget& target, const NutsOptions& options, int64_t index, const Vector& start, bool exact_start);

  TrajectoryResult advance(int64_t iteration);
  const Position& position() const { return position_; }
  double step_size() const { return step_size_; }

 private:
  CounterRng rng(Stream stream, int64_t step) const {
    return CounterRng(options_.seed, Purpose::kEngine, static_cast<uint32_t>(step),
                      static_cast<uint32_t>(index_) * kStreams + stream);
  }
  void find_start(const Vector& centre, bool exact);
  // Doubles or halves the step size until the acceptance of one step crosses 0.8.
  double fitting_step_size(double first, int64_t iteration);
  void adapt(int64_t iteration, double accept);

  WholeTarget& target_;
  const NutsOptions& options_;
  const int64_t index_;
  Position position_;
  Metric metric_;
  MetricEstimate estimate_;
  const std::vector<Window> windows_;
  size_t window_ = 0;
  double step_size_;
  StepSizeAdapter adapter_;
};

Chain::Chain(WholeTarget& target, const NutsOptions& options, int64_t index, const Vector& start, bool exact_start)
    : target_(target),
      options_(options),
      index_(index),
      metric_(target.dim()),
      estimate_(options.mass, target.dim()),
      windows_(mass_windows(options.warmup)),
      step_size_(options.step_size),
      adapter_(options.step_size, options.target_accept) {
  find_start(start, exact_start);
  if (options.warmup == 0) return;
  step_size_ = fitting_step_size(step_size_, /*iteration=*/0);
  adapter_.restart(step_size_);
}

void Chain::find_start(const Vector& centre, bool exact) {
  constexpr int64_t kAttempts = 20;
  for (int64_t attempt = 0; attempt < kAttempts; ++attempt) {
    const CounterRng numbers = rng(kStart, attempt);
    const double spread = exact ? 0 : std::ldexp(options_.start_spread, -static_cast<int>(attempt));
    position_.theta = centre;
    for (size_t j = 0; j < centre.size(); ++j) position_.theta[j] += spread * (2 * numbers.uniform(j) - 1);
    position_.log_density = target_(position_.theta, position_.gradient);
    if (std::isfinite(position_.log_density)) return;
    if (exact) break;
  }
  throw Error(ErrorKind::kNumerical,
              fmt::format("nuts: chain {}: log density or score is not finite at the start, expected a start inside "
                          "the support of the target",
                          index_));
}

double Chain::fitting_step_size(double first, int64_t iteration) {
  constexpr int kTries = 60;
  const double wanted = std::log(0.8);
  double step = first;
  std::optional<bool> grows;
  for (int i = 0; i < kTries; ++i) {
    Position at = position_;
    Vector momentum = metric_.draw_momentum(rng(kStepSize, iteration * kTries + i));
    const double before = position_.log_density - 0.5 * dot(momentum, metric_.velocity(momentum));
    bool fits = leapfrog(target_, metric_, step, at, momentum);
    if (fits) fits = at.log_density - 0.5 * dot(momentum, metric_.velocity(momentum)) - before > wanted;
    if (!grows) grows = fits;
    if (fits != *grows) break;
    step *= *grows ? 2 : 0.5;
  }
  return step;
}

void Chain::adapt(int64_t iteration, double accept) {
  adapter_.update(accept);
  step_size_ = adapter_.step_size();
  if (window_ < windows_.size() && iteration >= windows_[window_].begin) {
    estimate_.add(position_.theta);
    if (iteration + 1 == windows_[window_].end) {
      window_ += 1;
      metric_ = estimate_.finish();
      step_size_ = fitting_step_size(step_size_, iteration + 1);
      adapter_.restart(step_size_);
    }
  }
  if (iteration + 1 == options_.warmup) step_size_ = adapter_.averaged();
}

TrajectoryResult Chain::advance(int64_t iteration) {
  const TrajectoryOptions trajectory{step_size_, options_.max_depth, options_.max_energy_error};
  TrajectoryResult result =
      run_trajectory(target_, metric_, trajectory, position_, rng(kMomentum, iteration), rng(kChoice, iteration));
  position_ = std::move(result.next);
  if (iteration < options_.warmup) adapt(iteration, result.accept);
  return result;
}

std::vector<std::unique_ptr<Chain>> make_chains(WholeTarget& target, const NutsOptions& options,
                                                const at::Tensor& start) {
  const bool exact = start.dim() == 2;
  SCOREVI_CHECK_OP(start.size(-1), ==, target.dim());
  if (exact) SCOREVI_CHECK_OP(start.size(0), ==, options.chains);
  std::vector<std::unique_ptr<Chain>> chains;
  for (int64_t c = 0; c < options.chains; ++c)
    chains.push_back(std::make_unique<Chain>(target, options, c, to_vector(exact ? start[c] : start), exact));
  return chains;
}

// Keeps the draws of all chains while they come, [chains, draws, D].
class Record {
 public:
  Record(const NutsOptions& options, int64_t dim)
      : theta_(at::empty({options.chains, options.draws, dim}, at::TensorOptions(at::kDouble))),
        log_density_(at::empty({options.chains, options.draws}, at::TensorOptions(at::kDouble))) {}

  void add(int64_t chain, int64_t index, const TrajectoryResult& result, const Position& at) {
    std::copy(at.theta.begin(), at.theta.end(), theta_[chain][index].data_ptr<double>());
    log_density_[chain][index] = at.log_density;
    accept_sum_ += result.accept;
    divergent_ += result.divergent ? 1 : 0;
    at_depth_limit_ += result.at_depth_limit ? 1 : 0;
  }

  int64_t divergent() const { return divergent_; }

  // Of the first `kept` draws of each chain.
  Draws finish(int64_t kept) const {
    const int64_t chains = theta_.size(0), n = chains * kept;
    Draws draws;
    draws.theta = theta_.narrow(1, 0, kept).reshape({n, theta_.size(2)});
    draws.log_density = log_density_.narrow(1, 0, kept).reshape({n});
    draws.chain = at::arange(chains, at::TensorOptions(at::kLong)).repeat_interleave(kept);
    draws.chains = chains;
    draws.accept = accept_sum_ / static_cast<double>(n);
    draws.divergent = divergent_;
    draws.at_depth_limit = at_depth_limit_;
    return draws;
  }

 private:
  at::Tensor theta_, log_density_;
  double accept_sum_ = 0;
  int64_t divergent_ = 0, at_depth_limit_ = 0;
};

double mean_step_size(const std::vector<std::unique_ptr<Chain>>& chains) {
  double sum = 0;
  for (const auto& chain : chains) sum += chain->step_size();
  return sum / static_cast<double>(chains.size());
}

}  // namespace

void validate(const NutsOptions& options) {
  const auto finite_above_0 = [](double value) { return value > 0 && std::isfinite(value); };
  expect_option(options.chains >= 1 && options.chains <= 10'000, "nuts.chains", options.chains, "1 to 10000");
  expect_option(options.warmup >= 0 && options.warmup <= 10'000'000, "nuts.warmup", options.warmup, "0 to 10 million");
  expect_option(options.draws >= 1 && options.draws <= 10'000'000, "nuts.draws", options.draws, "1 to 10 million");
  expect_option(options.target_accept > 0 && options.target_accept < 1, "nuts.target_accept", options.target_accept,
                "above 0 and below 1");
  expect_option(options.max_depth >= 1 && options.max_depth <= 20, "nuts.max_depth", options.max_depth, "1 to 20");
  expect_option(options.max_energy_error > 0, "nuts.max_energy_error", options.max_energy_error, "above 0");
  expect_option(finite_above_0(options.step_size), "nuts.step_size", options.step_size, "a finite number above 0");
  expect_option(options.start_spread >= 0 && std::isfinite(options.start_spread), "nuts.start_spread",
                options.start_spread, "a finite number, at least 0");
}

int64_t bytes_needed(const NutsOptions& options, int64_t dim) {
  const auto size = static_cast<double>(dim), chains = static_cast<double>(options.chains);
  const double matrices = options.mass == MassMatrix::kDense ? 3 * chains + 4 : 0;
  const double bytes = sizeof(double) * size * (chains * static_cast<double>(options.draws) + matrices * size);
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

Draws sample_nuts(LogDensity& raw_target, const NutsOptions& options, const at::Tensor& start,
                  const SamplerCallback& callback) {
  validate(options);
  WholeTarget target(raw_target);
  Record record(options, target.dim());
  const std::vector<std::unique_ptr<Chain>> chains = make_chains(target, options, start);
  const int64_t iterations = options.warmup + options.draws;
  bool stopped = false;
  int64_t made = 0;
  for (; made < iterations && !stopped; ++made) {
    for (size_t c = 0; c < chains.size(); ++c) {
      const TrajectoryResult result = chains[c]->advance(made);
      if (made >= options.warmup)
        record.add(static_cast<int64_t>(c), made - options.warmup, result, chains[c]->position());
    }
    if (callback)
      stopped = callback({made + 1, iterations, made < options.warmup, target.evaluations(), record.divergent(),
                          mean_step_size(chains)});
  }
  Draws draws = record.finish(std::max<int64_t>(made - options.warmup, 0));
  draws.evaluations = target.evaluations();
  draws.step_size = mean_step_size(chains);
  draws.stopped = stopped && made < iterations;
  summarise(draws);
  return draws;
}

}  // namespace scorevi::inference
