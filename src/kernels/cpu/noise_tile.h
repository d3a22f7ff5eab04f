// The standard normal noise of one tile, and its moments over the samples of a step. The including source chooses
// `Lanes` by including one of the lanes_*.h before.
#pragma once

#include "cpu/philox_tile.h"
#include "scorevi/kernels/update.h"

namespace scorevi::kernels::SCOREVI_ISA {

// Of elements below `high`; the others may be 0. Doubles come one by one from the mathematical library, the same ones
// for any number of them, and cost enough to leave out those that nobody visits. Floats are made in vectors.
template <class T>
void normal_tile(const NoiseKey& key, int sample, int64_t base, int high, T* out) {
  alignas(64) TileWords words;
  philox_tile_by<Lanes>(noise_stream(key, sample), base, words);
  const int blocks = sizeof(T) == sizeof(double) ? (high + 3) / 4 : kTile / 4;
  if (blocks < kTile / 4) memset(out + 4 * blocks, 0, static_cast<std::size_t>(kTile - 4 * blocks) * sizeof(T));
#pragma GCC ivdep
  for (int b = 0; b < blocks; ++b) {
    const Pair<T> first = normal_pair(words[0][b], words[1][b], T(0));
    const Pair<T> second = normal_pair(words[2][b], words[3][b], T(0));
    out[4 * b] = first.first;
    out[4 * b + 1] = first.second;
    out[4 * b + 2] = second.first;
    out[4 * b + 3] = second.second;
  }
}

// Means over samples, one value per element of the tile.
template <class T>
struct TileNoise {
  alignas(64) T mean[kTile];
  alignas(64) T square[kTile];
  alignas(64) T score[kTile];  // mean of score times noise, where the caller gave none
};

template <class T>
void noise_of_sample(const UpdateInput<T>& in, int sample, const TileRange& range, T* out) {
  if (in.noise == nullptr) {
    normal_tile(in.key, sample, range.base, range.high, out);
    return;
  }
  const T* given = in.noise + sample * in.noise_stride;
  memset(out, 0, kTile * sizeof(T));
  memcpy(out + range.low, given + range.base + range.low, static_cast<std::size_t>(range.high - range.low) * sizeof(T));
}

// Fills `noise` and returns mean_i s_i eps_i: the given one, else score times the only sample's noise.
template <class T>
const T* noise_moments(const UpdateInput<T>& in, const TileRange& range, const T* score, const T* score_noise,
                       TileNoise<T>& noise) {
  noise_of_sample(in, 0, range, noise.mean);
  if (in.samples == 1) {
#pragma GCC ivdep
    for (int i = 0; i < kTile; ++i) {
      noise.square[i] = noise.mean[i] * noise.mean[i];
      noise.score[i] = score[i] * noise.mean[i];
    }
    return score_noise != nullptr ? score_noise : noise.score;
  }
  alignas(64) T one[kTile];
  for (int i = 0; i < kTile; ++i) noise.square[i] = noise.mean[i] * noise.mean[i];
  for (int sample = 1; sample < in.samples; ++sample) {
    noise_of_sample(in, sample, range, one);
#pragma GCC ivdep
    for (int i = 0; i < kTile; ++i) {
      noise.mean[i] += one[i];
      noise.square[i] += one[i] * one[i];
    }
  }
  const T share = T(1) / static_cast<T>(in.samples);
#pragma GCC ivdep
  for (int i = 0; i < kTile; ++i) {
    noise.mean[i] *= share;
    noise.square[i] *= share;
  }
  return score_noise;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
