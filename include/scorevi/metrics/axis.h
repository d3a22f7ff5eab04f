// Axes with the ticks a person would draw: steps of 1, 2 or 5 times a power of ten, decades on a
// log axis.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace scorevi::metrics {

struct AxisOptions {
  std::string label;
  bool log = false;                                       // values <= 0 do not exist on it
  bool include_zero = false;                              // linear axes only
  bool integer = false;                                   // ticks at whole numbers only
  double low = std::numeric_limits<double>::quiet_NaN();  // NaN: from the data
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct Tick {
  double value;
  std::string label;  // empty for a minor tick
};

// The smallest and largest finite value (positive ones only for a log axis); grows by add().
class DataRange {
 public:
  explicit DataRange(bool log = false) : log_(log) {}
  void add(double v);
  bool empty() const { return !(low_ <= high_); }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  bool log_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

// A mapping from values to pixels with its ticks.
class Axis {
 public:
  // Limits from the options, else from the data: widened a little, to a tick where one is near. A
  // range that is empty, constant, or narrower than 1e-9 of its values is widened so that the line
  // is in the middle. max_ticks: about how many labelled ticks fit.
  Axis(const AxisOptions& options, const DataRange& data, int max_ticks);

  void place(double pixel_low, double pixel_high);

  bool shows(double v) const;    // finite, and positive on a log axis
  double pixel(double v) const;  // linear continuation outside the limits
  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  const std::string& label() const { return label_; }  // with the common factor: "loss (×10⁻⁶)"
  double widest_tick(double font_size) const;

 private:
  void set_linear(const DataRange& data, const AxisOptions& options, int max_ticks);
  void set_log(const DataRange& data, const AxisOptions& options, int max_ticks);
  void linear_ticks(double step);
  void decade_ticks(int max_ticks);

  bool log_;
  std::string label_;
  double low_ = 0.0, high_ = 1.0;
  double pixel_low_ = 0.0, pixel_high_ = 1.0;
  std::vector<Tick> ticks_;
};

// "10⁻⁵", "2×10⁶".
std::string power_of_ten_label(double mantissa, int exponent);

}  // namespace scorevi::metrics
