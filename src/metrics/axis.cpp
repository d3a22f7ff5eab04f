#include "scorevi/metrics/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {
namespace {

// A limit moves out to the next tick when that costs less than this share of a step, else by
// kPadding of the range.
constexpr double kSnap = 0.4;
constexpr double kPadding = 0.03;
constexpr double kRounding = 1e-9;  // of a step: the same tick

// The smallest of 1, 2, 5 times a power of ten that is at least `raw`.
double nice_step(double raw) {
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= raw * (1.0 - kRounding)) return m * power;
  return 10.0 * power;
}

std::string superscript(int number) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (char c : std::to_string(number)) out += c == '-' ? "⁻" : kDigits[c - '0'];
  return out;
}

constexpr double kHuge = 4e307;   // keeps sums of limits finite
constexpr double kTiny = 1e-290;  // differences below are rounding of nothing, and powers of ten still exist

// Values this narrow compared with their size are one value.
bool is_constant(double low, double high) {
  return high - low <= std::max(kTiny, 1e-9 * std::max(std::abs(low), std::abs(high)));
}

// Decades from one labelled tick to the next.
int decade_stride(double raw) {
  for (int stride : {1, 2, 3, 5, 10, 20, 50})
    if (stride >= 0.7 * raw) return stride;
  return 100;
}

// v / 10^exponent without going through an infinite power of ten.
double scaled(double v, int exponent) {
  const int half = exponent / 2;
  return v / std::pow(10.0, half) / std::pow(10.0, exponent - half);
}

}  // namespace

std::string power_of_ten_label(double mantissa, int exponent) {
  const std::string power = "10" + superscript(exponent);
  return mantissa == 1.0 ? power : fmt::format("{:g}×", mantissa) + power;
}

void DataRange::add(double v) {
  if (!std::isfinite(v) || (log_ && v <= 0.0)) return;
  low_ = std::min(low_, v);
  high_ = std::max(high_, v);
}

Axis::Axis(const AxisOptions& options, const DataRange& data, int max_ticks)
    : log_(options.log), label_(options.label) {
  const int ticks = std::max(2, max_ticks);
  if (log_) {
    set_log(data, options, ticks);
  } else {
    set_linear(data, options, ticks);
  }
}

void Axis::place(double pixel_low, double pixel_high) {
  pixel_low_ = pixel_low;
  pixel_high_ = pixel_high;
}

bool Axis::shows(double v) const { return std::isfinite(v) && (!log_ || v > 0.0); }

double Axis::pixel(double v) const {
  // Halves keep the difference of huge limits finite.
  const double share = log_ ? (std::log(v) - std::log(low_)) / (std::log(high_) - std::log(low_))
                            : (0.5 * v - 0.5 * low_) / (0.5 * high_ - 0.5 * low_);
  return pixel_low_ + std::clamp(share, -10.0, 11.0) * (pixel_high_ - pixel_low_);
}

double Axis::widest_tick(double font_size) const {
  double widest = 0.0;
  for (const Tick& t : ticks_) widest = std::max(widest, text_width(t.label, font_size));
  return widest;
}

void Axis::set_linear(const DataRange& data, const AxisOptions& options, int max_ticks) {
  double low = data.empty() ? 0.0 : std::clamp(data.low(), -kHuge, kHuge);
  double high = data.empty() ? 1.0 : std::clamp(data.high(), -kHuge, kHuge);
  if (options.include_zero) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  const bool low_given = std::isfinite(options.low), high_given = std::isfinite(options.high);
  if (low_given) low = options.low;
  if (high_given) high = options.high;
  if (low >= high || is_constant(low, high)) {
    double half = std::max(std::abs(low), std::abs(high)) * 0.1;
    if (half <= kTiny) half = 1.0;
    if (!low_given) low -= half;
    if (!high_given || low >= high) high = std::max(low, high) + half;
  }
  double step = nice_step((high - low) / max_ticks);
  if (options.integer) step = std::max(1.0, step);
  const auto widen = [&](double limit, double outward, bool at_zero) {
    const double tick =
        (outward < 0 ? std::floor(limit / step + kRounding) : std::ceil(limit / step - kRounding)) * step;
    if (std::abs(tick - limit) <= kSnap * step || at_zero) return tick;
    return limit + outward * kPadding * (high - low);
  };
  const double widened_low = low_given ? low : widen(low, -1.0, low == 0.0);
  high_ = high_given ? high : widen(high, 1.0, high == 0.0);
  low_ = widened_low;
  linear_ticks(step);
}

void Axis::linear_ticks(double step) {
  const double largest = std::max(std::abs(low_), std::abs(high_));
  int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + kRounding)));
  int exponent = 0;
  if (largest >= 1e5 || largest < 2e-3) {
    exponent = 3 * static_cast<int>(std::floor((std::log10(largest) + kRounding) / 3.0));
    const int step_exponent = static_cast<int>(std::floor(std::log10(step) + kRounding));
    const int scaled_decimals = std::max(0, exponent - step_exponent);
    if (scaled_decimals > 3 && largest < 1e15 && largest >= 1e5) {
      exponent = 0;  // 1000002 says more than 1.000002 with a factor
    } else {
      decimals = scaled_decimals;
      label_ += (label_.empty() ? "×10" : " (×10") + superscript(exponent) + (label_.empty() ? "" : ")");
    }
  }
  const double first = std::ceil(low_ / step - kRounding);
  const double last = std::floor(high_ / step + kRounding);
  for (double k = first; k <= last && ticks_.size() < 100; k += 1.0) {
    const double value = k * step;
    const std::string digits = fmt::format("{:.{}f}", std::abs(scaled(value, exponent)), decimals);
    ticks_.push_back({value, (value < 0.0 ? "−" : "") + digits});
  }
}

void Axis::set_log(const DataRange& data, const AxisOptions& options, int max_ticks) {
  const bool low_given = options.low > 0.0, high_given = options.high > 0.0;
  double low = low_given ? options.low : data.empty() ? 1.0 : std::max(data.low(), kTiny);
  double high = high_given ? options.high : data.empty() ? 10.0 : std::min(data.high(), kHuge);
  if (low >= high || is_constant(low, high)) {
    if (!low_given) low = low / 2.0;
    if (!high_given || low >= high) high = std::max(low, high) * 2.0;
  }
  const double decades = std::log10(high) - std::log10(low);
  const auto widen = [&](double limit, bool up) {
    const double exponent = std::log10(limit);
    const double tick = up ? std::ceil(exponent - kRounding) : std::floor(exponent + kRounding);
    if (std::abs(tick - exponent) <= std::min(kSnap, 0.1 * decades)) return std::pow(10.0, tick);
    return std::pow(10.0, std::min(exponent + (up ? kPadding : -kPadding) * decades, 308.0));
  };
  low_ = low_given ? low : widen(low, false);
  high_ = high_given ? high : widen(high, true);
  if (std::log10(high_) - std::log10(low_) >= 0.7) {
    decade_ticks(max_ticks);
  } else {
    linear_ticks(nice_step((high_ - low_) / max_ticks));
  }
}

void Axis::decade_ticks(int max_ticks) {
  const double from = std::log10(low_), to = std::log10(high_);
  const int first = static_cast<int>(std::floor(from)), last = static_cast<int>(std::floor(to + kRounding));
  const int every = decade_stride((to - from) / max_ticks);
  // With few decades some digits between are labelled too.
  const std::string_view labelled = to - from < 1.05 ? "12357" : to - from < 1.6 ? "125" : "1";
  const bool plain = from >= -4.0 - kRounding && to <= 5.0 + kRounding;
  for (int e = first; e <= last; ++e) {
    for (int m = 1; m <= 9; ++m) {
      const double value = m * std::pow(10.0, e);
      if (value < low_ * (1.0 - kRounding) || value > high_ * (1.0 + kRounding)) continue;
      const bool on_grid = ((e % every) + every) % every == 0;
      const bool major = on_grid && labelled.find(static_cast<char>('0' + m)) != std::string_view::npos;
      if (!major && (every > 10 || (every > 1 && m > 1))) continue;
      std::string label;
      if (major) label = plain ? fmt::format("{:.{}f}", value, std::max(0, -e)) : power_of_ten_label(m, e);
      ticks_.push_back({value, label});
    }
  }
}

}  // namespace scorevi::metrics
