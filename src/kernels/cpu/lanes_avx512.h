#pragma once

#include <immintrin.h>

#include "cpu/philox_tile.h"

namespace scorevi::kernels::SCOREVI_ISA {

struct Lanes {
  using Vector = __m512i;
  static constexpr int kCount = 8;
  static Vector all(uint32_t word) { return _mm512_set1_epi64(word); }
  static Vector count_from(uint32_t word) {
    return _mm512_add_epi64(all(word), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vector multiply_low(Vector a, Vector b) { return _mm512_mul_epu32(a, b); }
  static Vector high(Vector a) { return _mm512_srli_epi64(a, 32); }
  static Vector exclusive_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static void store(uint32_t* out, Vector a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi64_epi32(a));
  }
};

}  // namespace scorevi::kernels::SCOREVI_ISA
