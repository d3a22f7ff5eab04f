#include "scorevi/config/range.h"

#include <cmath>

#include "scorevi/core/format.h"

namespace scorevi::config {

bool Range::contains(double value) const {
  if (std::isnan(value)) return allow_nan;
  if (std::isinf(value) && !allow_infinite) return false;
  if (low_open ? value <= low : value < low) return false;
  return high_open ? value < high : value <= high;
}

std::string Range::text() const {
  std::string result;
  if (std::isfinite(low)) result = (low_open ? "> " : ">= ") + format_double(low);
  if (std::isfinite(high)) {
    if (!result.empty()) result += " and ";
    result += (high_open ? "< " : "<= ") + format_double(high);
  }
  if (allow_infinite) result += result.empty() ? "any or infinite" : " or infinite";
  if (result.empty()) result = "finite";
  if (allow_nan) result += " or nan";
  return result;
}

Range any() { return {}; }

Range positive() {
  Range range = at_least(0);
  range.low_open = true;
  return range;
}

Range non_negative() { return at_least(0); }

Range fraction() { return between(0, 1); }

Range fraction_below_one() {
  Range range = fraction();
  range.high_open = true;
  return range;
}

Range positive_fraction() {
  Range range = fraction();
  range.low_open = true;
  return range;
}

Range at_least(double low) {
  Range range;
  range.low = low;
  return range;
}

Range between(double low, double high) {
  Range range;
  range.low = low;
  range.high = high;
  return range;
}

Range or_infinite(Range range) {
  range.allow_infinite = true;
  return range;
}

}  // namespace scorevi::config
