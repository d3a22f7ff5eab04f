// Sums of byte * weight as two sums of 16-bit products: weight = 2^12 high + low. The sum of the low parts may wrap
// around, the total is exact modulo 2^32 and fits.
#include "resample_avx2.h"

#include <immintrin.h>

#include <cstring>

namespace scorevi::data {
namespace {

// Four taps of one row: bytes of four pixels become [r0 r1 g0 g1 b0 b1 0 0 | r2 r3 g2 g3 b2 b3 0 0] in 16 bits.
[[gnu::target("avx2")]] __m256i load_four_pixels(const std::uint8_t* pixel) {
  const __m256i order = _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,  //
                                         6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixel));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), order);
}

// Four weights as [w0 w1 four times | w2 w3 four times].
[[gnu::target("avx2")]] __m256i load_four_weights(const std::int16_t* weight) {
  long long four;
  std::memcpy(&four, weight, sizeof(four));
  return _mm256_permutevar8x32_epi32(_mm256_set1_epi64x(four), _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
}

// Two neighbouring weights, eight times.
[[gnu::target("avx2")]] __m256i load_two_weights(const std::int16_t* weight) {
  int two;
  std::memcpy(&two, weight, sizeof(two));
  return _mm256_set1_epi32(two);
}

[[gnu::target("avx2")]] __m256i add_products(__m256i sum, __m256i values, __m256i weights) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(values, weights));
}

[[gnu::target("avx2")]] __m256i total(__m256i high, __m256i low) {
  return _mm256_add_epi32(_mm256_slli_epi32(high, kLowBits), low);
}

[[gnu::target("avx2")]] __m256i round_to_integer(__m256i sum) {
  return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << (kWeightBits - 1))), kWeightBits);
}

// Adds the two halves of a and of b: [a | b].
[[gnu::target("avx2")]] __m256i fold(__m256i a, __m256i b) {
  return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

// One pixel of four rows: bytes [r g b 0] of rows 0 and 2 in the lower half, 1 and 3 in the upper.
[[gnu::target("avx2")]] __m256i pixel_of_rows(const __m256i high[kRows], const __m256i low[kRows]) {
  const __m256i first = fold(total(high[0], low[0]), total(high[1], low[1]));
  const __m256i second = fold(total(high[2], low[2]), total(high[3], low[3]));
  const __m256i words = _mm256_packs_epi32(round_to_integer(first), round_to_integer(second));
  return _mm256_packus_epi16(words, words);
}

[[gnu::target("avx2")]] void store_pixel(std::uint8_t* out, int rgb0) { std::memcpy(out, &rgb0, sizeof(rgb0)); }

[[gnu::target("avx2")]] void horizontal(const Taps& taps, const std::uint8_t* const in[kRows],
                                        std::uint8_t* const out[kRows]) {
  const std::int64_t* first = taps.first.data();
  const std::int64_t* count = taps.count.data();
  const std::int16_t* high_weight = taps.high.data();
  const std::int16_t* low_weight = taps.low.data();
  const std::int64_t outputs = taps.outputs();
  for (std::int64_t x = 0; x < outputs; ++x, high_weight += taps.stride, low_weight += taps.stride) {
    __m256i high[kRows] = {};
    __m256i low[kRows] = {};
    for (std::int64_t t = 0; t < count[x]; t += kTapGroup) {
      const __m256i high_weights = load_four_weights(high_weight + t);
      const __m256i low_weights = load_four_weights(low_weight + t);
      const std::int64_t offset = 3 * (first[x] + t);
      for (int r = 0; r < kRows; ++r) {
        const __m256i pixels = load_four_pixels(in[r] + offset);
        high[r] = add_products(high[r], pixels, high_weights);
        low[r] = add_products(low[r], pixels, low_weights);
      }
    }
    const __m256i pixels = pixel_of_rows(high, low);
    const __m128i even = _mm256_castsi256_si128(pixels);
    const __m128i odd = _mm256_extracti128_si256(pixels, 1);
    store_pixel(out[0] + 3 * x, _mm_cvtsi128_si32(even));
    store_pixel(out[1] + 3 * x, _mm_cvtsi128_si32(odd));
    store_pixel(out[2] + 3 * x, _mm_extract_epi32(even, 1));
    store_pixel(out[3] + 3 * x, _mm_extract_epi32(odd, 1));
  }
}

// The sums of 32 neighbouring bytes, as 16-bit products of two rows at a time.
struct Sums {
  __m256i high[4], low[4];
};

[[gnu::target("avx2")]] void add_row_pair(Sums& sums, const std::uint8_t* a, const std::uint8_t* b,
                                          __m256i high_weights, __m256i low_weights) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i row_a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i row_b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  const __m256i near = _mm256_unpacklo_epi8(row_a, row_b);
  const __m256i far = _mm256_unpackhi_epi8(row_a, row_b);
  const __m256i pairs[4] = {_mm256_unpacklo_epi8(near, zero), _mm256_unpackhi_epi8(near, zero),
                            _mm256_unpacklo_epi8(far, zero), _mm256_unpackhi_epi8(far, zero)};
  for (int q = 0; q < 4; ++q) {
    sums.high[q] = add_products(sums.high[q], pairs[q], high_weights);
    sums.low[q] = add_products(sums.low[q], pairs[q], low_weights);
  }
}

[[gnu::target("avx2")]] __m256i bytes_of(const Sums& sums) {
  __m256i rounded[4];
  for (int q = 0; q < 4; ++q) rounded[q] = round_to_integer(total(sums.high[q], sums.low[q]));
  return _mm256_packus_epi16(_mm256_packs_epi32(rounded[0], rounded[1]), _mm256_packs_epi32(rounded[2], rounded[3]));
}

[[gnu::target("avx2")]] void vertical(const Taps& taps, std::int64_t output, const std::uint8_t* in,
                                      std::int64_t stride, std::int64_t bytes, std::uint8_t* out) {
  constexpr std::int64_t kTile = 32;
  if (bytes < kTile) return kPortableResample.vertical(taps, output, in, stride, bytes, out);
  const std::int16_t* high_weight = taps.high.data() + output * taps.stride;
  const std::int16_t* low_weight = taps.low.data() + output * taps.stride;
  const std::int64_t count = taps.count.data()[output];
  in += taps.first.data()[output] * stride;
  for (std::int64_t tile = 0; tile < bytes; tile += kTile) {
    const std::int64_t begin = tile + kTile <= bytes ? tile : bytes - kTile;  // the last one overlaps its neighbour
    Sums sums = {};
    for (std::int64_t t = 0; t < count; t += 2) {
      const std::uint8_t* a = in + t * stride + begin;
      const std::uint8_t* b = t + 1 < count ? a + stride : a;  // its weight is 0 then
      add_row_pair(sums, a, b, load_two_weights(high_weight + t), load_two_weights(low_weight + t));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + begin), bytes_of(sums));
  }
}

}  // namespace

const ResampleKernels kAvx2Resample = {horizontal, vertical};

}  // namespace scorevi::data
