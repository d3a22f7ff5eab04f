// Philox words and their normals (see scorevi/core/philox.h for the layout), written so that loops over blocks
// vectorise. Float normals are computed in float: within 3e-4 of the double ones where u0 is next to 1
// (u0 rounds to 1 there), within 3e-6 elsewhere.
#pragma once

#include "functors/math.h"
#include "scorevi/core/philox.h"
#include "scorevi/kernels/noise.h"

namespace scorevi::kernels::SCOREVI_ISA {

// The parts of a counter that all blocks of a call share.
struct NoiseStream {
  uint32_t key0, key1, purpose, sample, step;
};

SCOREVI_HOST_DEVICE NoiseStream noise_stream(const NoiseKey& key, int sample) {
  return {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32),
          static_cast<uint32_t>(key.purpose) << 24, key.sample + static_cast<uint32_t>(sample), key.step};
}

template <class T>
struct Pair {
  T first, second;
};

SCOREVI_HOST_DEVICE Pair<float> normal_pair(uint32_t w0, uint32_t w1, float /*precision*/) {
  const float u0 = (static_cast<float>(w0) + 0.5f) * 0x1p-32f;
  const float radius = square_root(-2.0f * logarithm_of_normal(u0));  // u0 = 1 gives 0
  // The angle is q quarter turns plus r quarter turns, |r| <= 1/2, taken from the word itself.
  const uint32_t q = (w1 + 0x20000000u) >> 30;
  const float r = (static_cast<float>(static_cast<int32_t>(w1 - (q << 30))) + 0.5f) * 0x1p-30f;
  const float z = r * r;
  const float sine = r * (1.57079633f + z * (-0.6459636432f + z * (0.0796815797f - z * 0.00460531155f)));
  const float cosine = 1.0f + z * (-1.233697954f + z * (0.2536063656f - z * 0.02042626008f));
  const bool odd = (q & 1u) != 0;
  const float first = odd ? sine : cosine;
  const float second = odd ? cosine : sine;
  // cos is negative in quarters 1 and 2, sin in quarters 2 and 3.
  const uint32_t sign0 = ((q + 1u) & 2u) << 30;
  const uint32_t sign1 = (q & 2u) << 30;
  return {radius * float_of(bits_of(first) ^ sign0), radius * float_of(bits_of(second) ^ sign1)};
}

SCOREVI_HOST_DEVICE Pair<double> normal_pair(uint32_t w0, uint32_t w1, double /*precision*/) {
  const NormalPair pair = normal_from_words(w0, w1);
  return {pair.first, pair.second};
}

}  // namespace scorevi::kernels::SCOREVI_ISA
