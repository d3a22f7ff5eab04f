// Which numbers a configuration key takes.
#pragma once

#include <limits>
#include <string>

namespace scorevi::config {

// Numbers from low to high; an open end is itself excluded. Infinities and not-a-number are refused
// unless allowed here.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;
  bool allow_infinite = false;
  bool allow_nan = false;

  bool contains(double value) const;

  // "> 0", ">= 0 and <= 1", "finite"; for messages and documentation.
  std::string text() const;
};

Range any();                 // every finite number
Range positive();            // > 0
Range non_negative();        // >= 0
Range fraction();            // >= 0 and <= 1
Range fraction_below_one();  // >= 0 and < 1: momenta, held-out shares
Range positive_fraction();   // > 0 and <= 1
Range at_least(double low);
Range between(double low, double high);  // ends included
Range or_infinite(Range range);          // the same with +-inf allowed where the limits let it

}  // namespace scorevi::config
