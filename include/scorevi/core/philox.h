// Counter-based random numbers: Philox4x32-10, the same bits on host and device.
//
// Every random value is a function of (seed, purpose, step, sample, element), so noise is never
// stored, does not depend on threads, and a resumed run draws what the uninterrupted one drew.
//
// Layout. Element j is word j mod 4 of block j / 4.
//   key     k0, k1 = low and high 32 bits of the seed
//   counter c0 = low 32 bits of the block
//           c1 = bits 32 to 55 of the block, with the purpose in its top eight bits
//           c2 = sample, c3 = step
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <cmath>
#include <cstdint>

#include "scorevi/core/host_device.h"

namespace scorevi {

// What a stream is for: two purposes never share a counter. Never renumber: runs depend on it.
enum class Purpose : std::uint8_t {
  kWeightNoise = 0,
  kShuffle = 1,
  kAugmentation = 2,
  kInitialisation = 3,
  kSplit = 4,
  kDropout = 5,
  kBootstrap = 6,
  kData = 7,        // generated data sets
  kPrediction = 8,  // weight samples drawn for evaluation and prediction
  kEngine = 9,      // choices inside an inference engine other than weight noise
  kMixing = 10,     // mixtures of the pictures of a batch
  kTest = 255,
};

struct PhiloxKey {
  std::uint32_t k0, k1;
};

struct PhiloxCounter {
  std::uint32_t c0, c1, c2, c3;
};

// Four independent uniform 32-bit words.
struct PhiloxWords {
  std::uint32_t w[4];
};

struct NormalPair {
  double first, second;
};

SCOREVI_HOST_DEVICE PhiloxKey philox_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

// `block` = element / 4, below 2^56.
SCOREVI_HOST_DEVICE PhiloxCounter philox_counter(std::uint64_t block, Purpose purpose, std::uint32_t step,
                                                 std::uint32_t sample) {
  const std::uint32_t high = static_cast<std::uint32_t>(block >> 32) & 0x00FFFFFFu;
  return {static_cast<std::uint32_t>(block), high | (static_cast<std::uint32_t>(purpose) << 24), sample, step};
}

// Ten rounds; the key grows by the Weyl constants between rounds.
SCOREVI_HOST_DEVICE PhiloxWords philox4x32_10(PhiloxCounter c, PhiloxKey key) {
  constexpr std::uint64_t kM0 = 0xD2511F53u;
  constexpr std::uint64_t kM1 = 0xCD9E8D57u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kM0 * c.c0;
    const std::uint64_t p1 = kM1 * c.c2;
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c.c1 ^ key.k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c.c3 ^ key.k1, static_cast<std::uint32_t>(p0)};
    key = {key.k0 + 0x9E3779B9u, key.k1 + 0xBB67AE85u};
  }
  return {{c.c0, c.c1, c.c2, c.c3}};
}

// u = (w + 1/2) 2^-32: exact in double, never 0 or 1.
SCOREVI_HOST_DEVICE double uniform_from_word(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

// Box-Muller: r = sqrt(-2 ln u0), (r cos 2 pi u1, r sin 2 pi u1) of two words. Both are N(0, 1),
// |n| <= sqrt(66 ln 2) = 6.764. For float noise compute here in double and convert once: host and
// device then agree in nearly every bit.
SCOREVI_HOST_DEVICE NormalPair normal_from_words(std::uint32_t w0, std::uint32_t w1) {
  constexpr double kTwoPi = 6.283185307179586476925;
  const double radius = ::sqrt(-2.0 * ::log(uniform_from_word(w0)));
  const double angle = kTwoPi * uniform_from_word(w1);
  return {radius * ::cos(angle), radius * ::sin(angle)};
}

}  // namespace scorevi
