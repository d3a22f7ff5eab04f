// Strict number reading: the whole text or nothing, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scorevi {

// Decimal numbers with an optional sign: 1, -1.5, 1e-4, 1E-4, 1.e-4, .0001; also inf and nan, with
// or without a leading dot, in any case. Nothing for anything else: spaces, trailing text, 1_000,
// hexadecimal, a leading zero before another digit (010), or values that a double cannot hold.
std::optional<double> parse_double(std::string_view text);

// Whole numbers; 1e3 and 3.0 count when they are whole and at most 2^53.
std::optional<std::int64_t> parse_int(std::string_view text);

}  // namespace scorevi
