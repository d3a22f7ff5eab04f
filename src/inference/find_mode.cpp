#include "scorevi/inference/find_mode.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "expect_option.h"
#include "scorevi/core/check.h"
#include "whole_target.h"

namespace scorevi::inference {
namespace {

struct Point {
  Vector theta, gradient;
  double log_density = 0;
};

// The last steps and the falls of the gradient over them: an inverse of the negative Hessian.
class InverseHessian {
 public:
  explicit InverseHessian(int64_t memory) : memory_(static_cast<size_t>(memory)) {}

  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  // Pairs without measurable curvature would make the inverse indefinite; they are left out.
  void add(const Point& from, const Point& to) {
    Pair pair = {to.theta, from.gradient, 0};
    add_scaled(-1, from.theta, pair.step);
    add_scaled(-1, to.gradient, pair.fall);
    pair.curvature = dot(pair.step, pair.fall);
    if (!(pair.curvature > 1e-14 * std::sqrt(dot(pair.step, pair.step) * dot(pair.fall, pair.fall)))) return;
    if (pairs_.size() == memory_) pairs_.pop_front();
    pairs_.push_back(std::move(pair));
  }

  // The two loops of L-BFGS.
  Vector times(Vector direction) const {
    if (empty()) return direction;
    std::vector<double> parts(pairs_.size());
    for (size_t i = pairs_.size(); i-- > 0;) {
      parts[i] = dot(pairs_[i].step, direction) / pairs_[i].curvature;
      add_scaled(-parts[i], pairs_[i].fall, direction);
    }
    const Pair& last = pairs_.back();
    const double scale = last.curvature / dot(last.fall, last.fall);
    for (double& value : direction) value *= scale;
    for (size_t i = 0; i < pairs_.size(); ++i)
      add_scaled(parts[i] - dot(pairs_[i].fall, direction) / pairs_[i].curvature, pairs_[i].step, direction);
    return direction;
  }

 private:
  struct Pair {
    Vector step, fall;
    double curvature;
  };
  size_t memory_;
  std::deque<Pair> pairs_;
};

bool is_far(const Vector& theta) {
  return std::any_of(theta.begin(), theta.end(), [](double value) { return std::abs(value) > 1e100; });
}

// From `before`, which may be far away itself.
bool unbounded(const Point& before, const Point& at) {
  return at.log_density > 1e15 || (is_far(at.theta) && !is_far(before.theta));
}

// A point along `direction` that rises enough and where the slope has become small (strong Wolfe conditions with 1e-4
// and 0.9), or nothing. The bracket [low, high] keeps: at low a sufficient rise that goes on, at high a slope
// downwards or too small a rise, so that a point of the kind lies between.
std::optional<Point> search_line(WholeTarget& target, const Point& start, const Vector& direction, double first_step) {
  constexpr double kRise = 1e-4, kSlope = 0.9, kInfinity = std::numeric_limits<double>::infinity();
  constexpr int kTrials = 60;
  const double start_slope = dot(start.gradient, direction);
  // Near the mode rises drown in rounding; there the slope decides alone.
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(start.log_density);
  double low = 0, high = kInfinity, low_slope = start_slope, high_slope = 0, step = first_step;
  for (int trial = 0; trial < kTrials; ++trial) {
    Point at = {start.theta, {}, 0};
    add_scaled(step, direction, at.theta);
    at.log_density = target(at.theta, at.gradient);
    const bool finite = std::isfinite(at.log_density);
    const bool rises = at.log_density >= start.log_density + kRise * step * start_slope - rounding;
    const double slope = finite ? dot(at.gradient, direction) : 0;
    if (rises && (std::abs(slope) <= kSlope * start_slope || unbounded(start, at))) return at;
    if (rises && slope > 0) {
      low = step;
      low_slope = slope;
    } else {
      high = step;
      high_slope = slope;
    }
    if (high == kInfinity) {
      step *= 4;
      continue;
    }
    const double width = high - low;
    const double secant = high_slope < 0 ? low + width * low_slope / (low_slope - high_slope) : low + 0.5 * width;
    step = std::clamp(secant, low + 0.1 * width, high - 0.1 * width);
  }
  return std::nullopt;
}

double norm(const Vector& values) { return std::sqrt(dot(values, values)); }

// One iteration from `at`. Says how the search ended, if it did.
std::optional<ModeOutcome> improve(WholeTarget& target, InverseHessian& inverse, double tolerance, Point& at) {
  Vector direction = inverse.times(at.gradient);
  const double slope = dot(at.gradient, direction);
  if (slope == 0 || (!inverse.empty() && 0.5 * slope <= tolerance)) return ModeOutcome::kConverged;
  const double first_step = inverse.empty() ? 1 / std::max(1.0, norm(at.gradient)) : 1;
  std::optional<Point> next = search_line(target, at, direction, first_step);
  if (!next) {
    if (inverse.empty()) return ModeOutcome::kStalled;
    inverse.clear();  // one more try along the gradient
    return std::nullopt;
  }
  inverse.add(at, *next);
  const bool rises_away = unbounded(at, *next);
  at = std::move(*next);
  if (rises_away) return ModeOutcome::kUnbounded;
  return std::nullopt;
}

}  // namespace

void validate(const FindModeOptions& options) {
  expect_option(options.max_iterations >= 1, "find_mode.max_iterations", options.max_iterations, "at least 1");
  expect_option(options.memory >= 1 && options.memory <= 1000, "find_mode.memory", options.memory, "1 to 1000");
  expect_option(options.tolerance >= 0, "find_mode.tolerance", options.tolerance, "at least 0");
}

Mode find_mode(LogDensity& raw_target, const at::Tensor& start, const FindModeOptions& options,
               const std::function<bool(const ModeProgress&)>& callback) {
  validate(options);
  WholeTarget target(raw_target);
  SCOREVI_CHECK_OP(start.numel(), ==, target.dim());
  Point at = {to_vector(start), {}, 0};
  at.log_density = target(at.theta, at.gradient);
  if (!std::isfinite(at.log_density))
    throw Error(ErrorKind::kNumerical,
                "find_mode: log density or score is not finite at the start, expected a start "
                "inside the support of the target");
  InverseHessian inverse(options.memory);
  Mode mode;
  for (; mode.iterations < options.max_iterations; ++mode.iterations) {
    const std::optional<ModeOutcome> end = improve(target, inverse, options.tolerance, at);
    if (end) {
      mode.outcome = *end;
      break;
    }
    if (callback && callback({mode.iterations + 1, target.evaluations(), at.log_density, norm(at.gradient)})) {
      mode.outcome = ModeOutcome::kStopped;
      break;
    }
  }
  mode.theta = to_tensor(at.theta);
  mode.log_density = at.log_density;
  mode.gradient_norm = norm(at.gradient);
  mode.evaluations = target.evaluations();
  return mode;
}

}  // namespace scorevi::inference
