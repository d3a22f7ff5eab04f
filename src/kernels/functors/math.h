// exp, log and the pair (cos, sin) of a quarter-turn fraction. In float: short polynomials without branches or
// calls, which the compiler vectorises and the device shares. In double: the library's functions.
// Coefficients: minimax fits over the reduced ranges (relative error below 4e-8, one rounding of float).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "functors/isa.h"

namespace scorevi::kernels::SCOREVI_ISA {

SCOREVI_HOST_DEVICE uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

SCOREVI_HOST_DEVICE float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Not inf and not NaN.
template <class T>
SCOREVI_HOST_DEVICE bool is_finite(T x) {
  return x - x == T(0);
}

template <class T>
SCOREVI_HOST_DEVICE T clamp(T x, T low, T high) {
  return x < low ? low : (x > high ? high : x);
}

// e^x = 2^n e^r with |r| <= ln(2)/2. Below -87.3 (the smallest normal float) the result is 0, above 88 (1.65e38) inf;
// NaN stays.
SCOREVI_HOST_DEVICE float exponential(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
  constexpr float kLow = -87.3f, kHigh = 88.0f;
  const float inside = clamp(x, kLow, kHigh);
  const float shifted = inside * 1.44269504f + kRound;
  const float n = shifted - kRound;
  const float r = (inside - n * 0.693359375f) + n * 2.12194440e-4f;
  const float q =
      0.4999999305f + r * (0.1666651479f + r * (0.04166845678f + r * (0.008369418836f + r * 0.001381314508f)));
  const uint32_t exponent = bits_of(shifted) - bits_of(kRound) + 127u;
  const float result = (1.0f + (r + r * r * q)) * float_of(exponent << 23);
  return x < kLow ? 0.0f : (x > kHigh ? HUGE_VALF : result);
}

SCOREVI_HOST_DEVICE double exponential(double x) { return ::exp(x); }

// ln x for normal x > 0 alone.
SCOREVI_HOST_DEVICE float logarithm_of_normal(float x) {
  // x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2)
  const uint32_t offset = bits_of(x) - 0x3F3504F3u;
  const float e = static_cast<float>(static_cast<int32_t>(offset) >> 23);
  const float f = float_of((offset & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
  const float q =
      -0.4999999161f +
      f * (0.3333395021f +
           f * (-0.2500175522f +
                f * (0.1996207248f +
                     f * (-0.1657050913f + f * (0.1491797113f + f * (-0.1430751446f + f * 0.08734840978f))))));
  return e * 0.693359375f + (f + (f * f * q - e * 2.12194440e-4f));
}

// -inf for 0, NaN for x < 0 and NaN, inf for inf.
SCOREVI_HOST_DEVICE float logarithm(float x) {
  const float special = x == 0.0f ? -HUGE_VALF : (x == HUGE_VALF ? x : NAN);
  return x > 0.0f && x < HUGE_VALF ? logarithm_of_normal(x) : special;
}

SCOREVI_HOST_DEVICE double logarithm(double x) { return ::log(x); }

SCOREVI_HOST_DEVICE float square_root(float x) { return ::sqrtf(x); }
SCOREVI_HOST_DEVICE double square_root(double x) { return ::sqrt(x); }

}  // namespace scorevi::kernels::SCOREVI_ISA
