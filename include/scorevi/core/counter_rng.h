// A host-side random stream addressed by index: no state, every draw can be repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "scorevi/core/philox.h"

namespace scorevi {

// One stream of (seed, purpose, step, sample). The draws of different kinds share words: word(i),
// uniform(i) and normal(i) use word i (normal also its partner in the pair), below(n, i) uses the
// words 2i and 2i + 1. Use one kind per stream where independence matters. Thread safe.
class CounterRng {
 public:
  CounterRng(std::uint64_t seed, Purpose purpose, std::uint32_t step = 0, std::uint32_t sample = 0)
      : key_(philox_key(seed)), purpose_(purpose), step_(step), sample_(sample) {}

  std::uint32_t word(std::uint64_t i) const;

  // In (0, 1), never 0 or 1.
  double uniform(std::uint64_t i) const { return uniform_from_word(word(i)); }

  // N(0, 1).
  double normal(std::uint64_t i) const;

  // Uniform over 0 .. n - 1, n >= 1: floor(n w / 2^64) of a 64-bit word w. No value is more likely
  // than another by more than a factor 1 + n 2^-64.
  std::uint64_t below(std::uint64_t n, std::uint64_t i) const;

  // A random order of 0 .. n - 1 (Fisher-Yates over below()); the same on every machine. O(n).
  std::vector<std::int64_t> permutation(std::int64_t n) const;

 private:
  PhiloxWords block(std::uint64_t index) const;

  PhiloxKey key_;
  Purpose purpose_;
  std::uint32_t step_;
  std::uint32_t sample_;
};

}  // namespace scorevi
