// The resampling loops in plain C++.
#include <algorithm>

#include "resample.h"

namespace scorevi::data {
namespace {

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int32_t>(sum >> kWeightBits, 0, 255));
}

void horizontal_row(const Taps& taps, const std::uint8_t* in, std::uint8_t* out) {
  for (std::int64_t x = 0; x < taps.outputs(); ++x, out += 3) {
    const std::int32_t* weight = taps.weight.data() + x * taps.stride;
    const std::uint8_t* pixel = in + 3 * taps.first[static_cast<std::size_t>(x)];
    std::int32_t red = kHalf;
    std::int32_t green = kHalf;
    std::int32_t blue = kHalf;
    for (std::int64_t t = 0; t < taps.count[static_cast<std::size_t>(x)]; ++t, pixel += 3) {
      red += weight[t] * pixel[0];
      green += weight[t] * pixel[1];
      blue += weight[t] * pixel[2];
    }
    out[0] = to_byte(red);
    out[1] = to_byte(green);
    out[2] = to_byte(blue);
  }
}

void horizontal(const Taps& taps, const std::uint8_t* const in[kRows], std::uint8_t* const out[kRows]) {
  for (int r = 0; r < kRows; ++r) {
    if (r == 0 || out[r] != out[r - 1]) horizontal_row(taps, in[r], out[r]);
  }
}

void vertical(const Taps& taps, std::int64_t output, const std::uint8_t* in, std::int64_t stride, std::int64_t bytes,
              std::uint8_t* out) {
  constexpr std::int64_t kTile = 64;
  const std::int32_t* weight = taps.weight.data() + output * taps.stride;
  const std::int64_t count = taps.count[static_cast<std::size_t>(output)];
  in += taps.first[static_cast<std::size_t>(output)] * stride;
  for (std::int64_t begin = 0; begin < bytes; begin += kTile) {
    const std::int64_t width = std::min(kTile, bytes - begin);
    std::int32_t sum[kTile];
    std::fill(sum, sum + width, kHalf);
    for (std::int64_t t = 0; t < count; ++t) {
      const std::uint8_t* row = in + t * stride + begin;
      for (std::int64_t k = 0; k < width; ++k) sum[k] += weight[t] * row[k];
    }
    for (std::int64_t k = 0; k < width; ++k) out[begin + k] = to_byte(sum[k]);
  }
}

}  // namespace

const ResampleKernels kPortableResample = {horizontal, vertical};

}  // namespace scorevi::data
