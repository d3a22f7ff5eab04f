// The noise of four elements, and its moments over the samples of a step.
#pragma once

#include "cuda/launch.h"
#include "functors/normal.h"

namespace scorevi::kernels::cuda {

template <class T>
__device__ void normal_group(const NoiseKey& key, int sample, int64_t base, T* out) {
  const uint64_t block = static_cast<uint64_t>(base) / 4;
  const PhiloxWords words = philox4x32_10(
      philox_counter(block, key.purpose, key.step, key.sample + static_cast<uint32_t>(sample)), philox_key(key.seed));
  const generic::Pair<T> first = generic::normal_pair(words.w[0], words.w[1], T(0));
  const generic::Pair<T> second = generic::normal_pair(words.w[2], words.w[3], T(0));
  out[0] = first.first;
  out[1] = first.second;
  out[2] = second.first;
  out[3] = second.second;
}

template <class T>
struct GroupNoise {
  T mean[4], square[4];
};

template <class T>
__device__ void noise_moments(const UpdateInput<T>& in, const Group& group, GroupNoise<T>& noise) {
  const T share = T(1) / static_cast<T>(in.samples);
  for (int k = 0; k < 4; ++k) noise.mean[k] = noise.square[k] = T(0);
  for (int sample = 0; sample < in.samples; ++sample) {
    T one[4] = {};
    if (in.noise == nullptr) {
      normal_group(in.key, sample, group.base, one);
    } else {
      const T* given = in.noise + sample * in.noise_stride + group.base;
      for (int k = group.low; k < group.high; ++k) one[k] = given[k];
    }
    for (int k = 0; k < 4; ++k) {
      noise.mean[k] += one[k];
      noise.square[k] += one[k] * one[k];
    }
  }
  for (int k = 0; k < 4; ++k) {
    noise.mean[k] *= share;
    noise.square[k] *= share;
  }
}

}  // namespace scorevi::kernels::cuda
