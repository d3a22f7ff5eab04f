#pragma once

#include "cpu/philox_tile.h"

namespace scorevi::kernels::SCOREVI_ISA {

// One block at a time, as any machine can.
struct Lanes {
  using Vector = uint64_t;
  static constexpr int kCount = 1;
  static Vector all(uint32_t word) { return word; }
  static Vector count_from(uint32_t word) { return word; }
  static Vector multiply_low(Vector a, Vector b) { return static_cast<uint32_t>(a) * b; }
  static Vector high(Vector a) { return a >> 32; }
  static Vector exclusive_or(Vector a, Vector b, Vector c) { return a ^ b ^ c; }
  static void store(uint32_t* out, Vector a) { *out = static_cast<uint32_t>(a); }
};

}  // namespace scorevi::kernels::SCOREVI_ISA
