#include "scorevi/core/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include "scorevi/core/text.h"

namespace scorevi {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes one sign; from_chars knows no plus.
bool take_minus(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool minus = text.front() == '-';
  text.remove_prefix(1);
  return minus;
}

std::optional<double> parse_special(std::string_view text) {
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  if (text.size() != 3) return std::nullopt;
  const std::string lower = lower_case(text);
  if (lower == "inf") return std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  const bool minus = take_minus(text);
  if (text.empty() || text.front() == '-') return std::nullopt;
  if (const auto special = parse_special(text)) return minus ? -*special : *special;
  if (!is_digit(text.front()) && text.front() != '.') return std::nullopt;
  if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::general);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return minus ? -value : value;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  std::string_view digits = text;
  const bool minus = take_minus(digits);
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) return std::nullopt;
  if (digits.find_first_not_of("0123456789") == std::string_view::npos) {
    const std::string signed_digits = (minus ? "-" : "") + std::string(digits);
    std::int64_t value = 0;
    const char* end = signed_digits.data() + signed_digits.size();
    const auto result = std::from_chars(signed_digits.data(), end, value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  const auto real = parse_double(text);
  if (!real || std::abs(*real) > kLargestExact || *real != std::floor(*real)) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

}  // namespace scorevi
