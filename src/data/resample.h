// One-dimensional resampling of RGB bytes with integer weights. Private to data.
#pragma once

#include <cstdint>
#include <vector>

#include "scorevi/data/image_ops.h"

namespace scorevi::data {

constexpr int kWeightBits = 22;
constexpr int kLowBits = 12;
constexpr int kRows = 4;                     // that a horizontal kernel takes at once
constexpr std::int64_t kTapGroup = 4;        // taps that it takes at once
constexpr std::int64_t kReadableAfter = 16;  // bytes behind a row that it may read
constexpr std::int64_t kWritableAfter = 1;   // bytes behind a row that it may write

// Output i is the sum over t < count[i] of weight[i * stride + t] * input[first[i] + t], in units of 2^-22. Each row of
// weights is filled up with zeros to a multiple of kTapGroup. weight = 2^12 high + low with 0 <= low < 2^12, for
// multipliers of 16 bits.
struct Taps {
  std::int64_t stride = 0;
  std::vector<std::int64_t> first, count;
  std::vector<std::int32_t> weight;
  std::vector<std::int16_t> high, low;

  std::int64_t outputs() const { return static_cast<std::int64_t>(first.size()); }
};

// The outputs begin .. begin + count - 1 of a resize from `in` to `out` pixels. Memory O(count * max(1, in / out)).
Taps make_taps(ResizeFilter filter, std::int64_t in, std::int64_t out, std::int64_t begin, std::int64_t count);

// The inner loops for one instruction set.
struct ResampleKernels {
  // Resamples kRows rows; in and out may name a row several times. Reads up to kReadableAfter bytes behind the row and
  // writes up to kWritableAfter behind the result.
  void (*horizontal)(const Taps& taps, const std::uint8_t* const in[kRows], std::uint8_t* const out[kRows]);
  // Row `output` from rows of `bytes` bytes that lie `stride` apart; `in` is row 0.
  void (*vertical)(const Taps& taps, std::int64_t output, const std::uint8_t* in, std::int64_t stride,
                   std::int64_t bytes, std::uint8_t* out);
};

extern const ResampleKernels kPortableResample;

// The fastest ones of this machine. All give the same bytes.
const ResampleKernels& resample_kernels();

}  // namespace scorevi::data
