// The Philox words of one tile, many blocks at a time. `Lanes` wraps the vectors of an instruction set: one block per
// 64-bit lane, of which the low half counts; the upper half holds leftovers that no operation looks at.
#pragma once

#include "cpu/tile.h"
#include "functors/normal.h"

namespace scorevi::kernels::SCOREVI_ISA {

// Words in separate arrays: word k of block b of the tile is words[k][b].
using TileWords = uint32_t[4][kTile / 4];

template <class Lanes>
void philox_tile_by(const NoiseStream& stream, int64_t base, TileWords& words) {
  using Vector = typename Lanes::Vector;
  const uint64_t first = static_cast<uint64_t>(base) / 4;  // a multiple of 256: adding b never carries
  const uint32_t low = static_cast<uint32_t>(first);
  const uint32_t high = static_cast<uint32_t>(first >> 32) & 0x00FFFFFFu;
  const Vector m0 = Lanes::all(0xD2511F53u), m1 = Lanes::all(0xCD9E8D57u);
  Vector keys[10][2];
  for (int round = 0; round < 10; ++round) {
    keys[round][0] = Lanes::all(stream.key0 + static_cast<uint32_t>(round) * 0x9E3779B9u);
    keys[round][1] = Lanes::all(stream.key1 + static_cast<uint32_t>(round) * 0xBB67AE85u);
  }
  for (int b = 0; b < kTile / 4; b += Lanes::kCount) {
    Vector c0 = Lanes::count_from(low + static_cast<uint32_t>(b));
    Vector c1 = Lanes::all(high | stream.purpose);
    Vector c2 = Lanes::all(stream.sample), c3 = Lanes::all(stream.step);
    for (int round = 0; round < 10; ++round) {
      const Vector p0 = Lanes::multiply_low(c0, m0), p1 = Lanes::multiply_low(c2, m1);
      c0 = Lanes::exclusive_or(Lanes::high(p1), c1, keys[round][0]);
      c2 = Lanes::exclusive_or(Lanes::high(p0), c3, keys[round][1]);
      c1 = p1;
      c3 = p0;
    }
    Lanes::store(words[0] + b, c0);
    Lanes::store(words[1] + b, c1);
    Lanes::store(words[2] + b, c2);
    Lanes::store(words[3] + b, c3);
  }
}

}  // namespace scorevi::kernels::SCOREVI_ISA
