#include "nuts_trajectory.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scorevi::inference {
namespace {

// An end of a piece of trajectory; velocity = M^-1 momentum.
struct End {
  Vector momentum, velocity;
};

// A piece of trajectory in the order in which it was made.
struct Segment {
  End first, last;
  Vector momentum_sum;
  double log_weight = 0;  // log sum exp(energy at the start - energy) over its points
  Position chosen;
};

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

Vector sum(const Vector& a, const Vector& b) {
  Vector out = a;
  add_scaled(1, b, out);
  return out;
}

bool goes_on(const End& a, const End& b, const Vector& momentum_sum) {
  return dot(a.velocity, momentum_sum) > 0 && dot(b.velocity, momentum_sum) > 0;
}

class Trajectory {
 public:
  Trajectory(WholeTarget& target, const Metric& metric, const TrajectoryOptions& options, const CounterRng& choices)
      : target_(target), metric_(metric), options_(options), choices_(choices) {}

  TrajectoryResult run(const Position& start, Vector momentum);

 private:
  // A place to integrate on from.
  struct Edge {
    Position at;
    Vector momentum;
  };

  double uniform() { return choices_.uniform(used_++); }
  double energy(const Position& at, const Vector& momentum, const Vector& velocity) const {
    return 0.5 * dot(momentum, velocity) - at.log_density;
  }
  // 2^depth steps on from `edge`. False: the piece turned or diverged, and is worth nothing.
  bool extend(int64_t depth, double step, Edge& edge, Segment& out);
  // Appends `next` to `whole`. `chance` is that of choosing next's point. False: the whole has turned.
  bool join(Segment& whole, Segment next, double chance);

  WholeTarget& target_;
  const Metric& metric_;
  const TrajectoryOptions options_;
  const CounterRng& choices_;
  uint64_t used_ = 0;
  double start_energy_ = 0, accept_sum_ = 0;
  int64_t points_ = 0;
  bool divergent_ = false;
};

bool Trajectory::join(Segment& whole, Segment next, double chance) {
  const Vector total = sum(whole.momentum_sum, next.momentum_sum);
  // Beside the whole, each part with the nearest point of the other: short turns between the parts show there.
  const bool on = goes_on(whole.first, next.last, total) &&
                  goes_on(whole.first, next.first, sum(whole.momentum_sum, next.first.momentum)) &&
                  goes_on(whole.last, next.last, sum(next.momentum_sum, whole.last.momentum));
  if (uniform() < chance) whole.chosen = std::move(next.chosen);
  whole.log_weight = log_add(whole.log_weight, next.log_weight);
  whole.last = std::move(next.last);
  whole.momentum_sum = total;
  return on;
}

bool Trajectory::extend(int64_t depth, double step, Edge& edge, Segment& out) {
  if (depth > 0) {
    Segment second;
    if (!extend(depth - 1, step, edge, out) || !extend(depth - 1, step, edge, second)) return false;
    const double chance = std::exp(second.log_weight - log_add(out.log_weight, second.log_weight));
    return join(out, std::move(second), chance);
  }
  points_ += 1;
  divergent_ = !leapfrog(target_, metric_, step, edge.at, edge.momentum);
  if (divergent_) return false;
  const Vector velocity = metric_.velocity(edge.momentum);
  const double error = energy(edge.at, edge.momentum, velocity) - start_energy_;
  divergent_ = !(error <= options_.max_energy_error);
  if (divergent_) return false;
  accept_sum_ += std::exp(std::min(0.0, -error));
  out = {{edge.momentum, velocity}, {edge.momentum, velocity}, edge.momentum, -error, edge.at};
  return true;
}

TrajectoryResult Trajectory::run(const Position& start, Vector momentum) {
  const Vector velocity = metric_.velocity(momentum);
  start_energy_ = energy(start, momentum, velocity);
  Segment whole = {{momentum, velocity}, {momentum, velocity}, momentum, /*log_weight=*/0, start};
  Edge edges[] = {{start, momentum}, {start, std::move(momentum)}};
  bool on = true, forwards = true;
  int64_t depth = 0;
  for (; on && depth < options_.max_depth; ++depth) {
    // The whole always ends where it grows.
    if ((uniform() < 0.5) != forwards) {
      forwards = !forwards;
      std::swap(whole.first, whole.last);
    }
    Segment next;
    on = extend(depth, forwards ? options_.step_size : -options_.step_size, edges[forwards ? 1 : 0], next);
    // The farther half is preferred: the chain moves on.
    if (on) {
      const double chance = std::exp(next.log_weight - whole.log_weight);
      on = join(whole, std::move(next), chance);
    }
  }
  TrajectoryResult result;
  result.next = std::move(whole.chosen);
  result.accept = points_ > 0 ? accept_sum_ / static_cast<double>(points_) : 0;
  result.divergent = divergent_;
  result.at_depth_limit = on;
  return result;
}

}  // namespace

bool leapfrog(WholeTarget& target, const Metric& metric, double step, Position& at, Vector& momentum) {
  add_scaled(0.5 * step, at.gradient, momentum);
  add_scaled(step, metric.velocity(momentum), at.theta);
  at.log_density = target(at.theta, at.gradient);
  if (!std::isfinite(at.log_density)) return false;
  add_scaled(0.5 * step, at.gradient, momentum);
  return true;
}

TrajectoryResult run_trajectory(WholeTarget& target, const Metric& metric, const TrajectoryOptions& options,
                                const Position& start, const CounterRng& momenta, const CounterRng& choices) {
  return Trajectory(target, metric, options, choices).run(start, metric.draw_momentum(momenta));
}

}  // namespace scorevi::inference
