// The zero of an increasing function of one variable.
#pragma once

#include <cmath>

namespace scorevi::metrics {

struct ValueSlope {
  double value;
  double slope;
};

// x in [low, high] with f(x) = 0, f increasing; f returns ValueSlope. Newton's method inside a
// shrinking bracket, bisection where a Newton step leaves it or does not halve the value. Ends when
// the step or the bracket is at rounding level. Where f has no zero inside, an end of the bracket
// is returned.
template <class Function>
double increasing_root(const Function& f, double low, double high) {
  double x = 0.5 * (low + high), previous = INFINITY;
  for (int i = 0; i < 400; ++i) {
    const ValueSlope at = f(x);
    if (at.value == 0.0) return x;
    (at.value < 0.0 ? low : high) = x;
    const double newton = x - at.value / at.slope;
    const bool good = at.slope > 0.0 && newton > low && newton < high && std::abs(at.value) <= 0.5 * previous;
    previous = std::abs(at.value);
    const double next = good ? newton : 0.5 * (low + high);
    if (next == x || next <= low || next >= high) return next;
    if (good && std::abs(next - x) <= 1e-16 * std::abs(next)) return next;
    x = next;
  }
  return x;
}

}  // namespace scorevi::metrics
