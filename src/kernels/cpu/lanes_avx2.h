#pragma once

#include <immintrin.h>

#include "cpu/philox_tile.h"

namespace scorevi::kernels::SCOREVI_ISA {

struct Lanes {
  using Vector = __m256i;
  static constexpr int kCount = 4;
  static Vector all(uint32_t word) { return _mm256_set1_epi64x(word); }
  static Vector count_from(uint32_t word) { return _mm256_add_epi64(all(word), _mm256_setr_epi64x(0, 1, 2, 3)); }
  static Vector multiply_low(Vector a, Vector b) { return _mm256_mul_epu32(a, b); }
  static Vector high(Vector a) { return _mm256_srli_epi64(a, 32); }
  static Vector exclusive_or(Vector a, Vector b, Vector c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
  static void store(uint32_t* out, Vector a) {
    const __m256i even = _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(even));
  }
};

}  // namespace scorevi::kernels::SCOREVI_ISA
