// Noise, sampling, running means of scores and the finite check on a range of elements.
#pragma once

#include "arguments.h"
#include "cpu/update_tile.h"

namespace scorevi::kernels::SCOREVI_ISA {

template <class T>
NoResult process(const FillArguments<T>& a, int64_t begin, int64_t end) {
  for_each_tile(begin, end, [&](const TileRange& range) {
    if (range.whole()) return normal_tile(a.key, 0, range.base, kTile, a.out + range.base);
    alignas(64) T noise[kTile];
    normal_tile(a.key, 0, range.base, range.high, noise);
    memcpy(a.out + range.base + range.low, noise + range.low,
           static_cast<std::size_t>(range.high - range.low) * sizeof(T));
  });
  return {};
}

template <class T>
NoResult process(const SampleArguments<T>& a, int64_t begin, int64_t end) {
  for_each_tile(begin, end, [&](const TileRange& range) {
    alignas(64) T noise[kTile];
    normal_tile(a.key, 0, range.base, range.high, noise);
    TileBuffers<T> buffers(range);
    const T* mean = buffers.read(a.mean);
    const T* log_std = buffers.read(a.log_std);
    T* theta = buffers.update(a.theta);
#pragma GCC ivdep
    for (int i = 0; i < kTile; ++i) theta[i] = mean[i] + exponential(log_std[i]) * noise[i];
    buffers.commit();
  });
  return {};
}

template <class T>
NoResult process(const AccumulateArguments<T>& a, int64_t begin, int64_t end) {
  const T share = T(1) / static_cast<T>(a.samples);
  const T keep = a.first ? T(0) : T(1);
  for_each_tile(begin, end, [&](const TileRange& range) {
    alignas(64) T noise[kTile];
    normal_tile(a.key, 0, range.base, range.high, noise);
    TileBuffers<T> buffers(range);
    const T* score = buffers.read(a.score);
    T* mean = buffers.update(a.score_mean);
    T* with_noise = buffers.update(a.score_noise_mean);
#pragma GCC ivdep
    for (int i = 0; i < kTile; ++i) {
      const T part = score[i] * share;
      mean[i] = (keep != T(0) ? mean[i] : T(0)) + part;
      with_noise[i] = (keep != T(0) ? with_noise[i] : T(0)) + part * noise[i];
    }
    buffers.commit();
  });
  return {};
}

template <class T>
int64_t first_nonfinite_of(const T* values, int low, int high) {
  for (int i = low; i < high; ++i) {
    if (!is_finite(values[i])) return i;
  }
  return -1;
}

template <class T>
FiniteCheck process(const FiniteArguments<T>& a, int64_t begin, int64_t end) {
  FiniteCheck all;
  for_each_tile(begin, end, [&](const TileRange& range) {
    TileBuffers<T> buffers(range);
    const T* values = buffers.read(a.values);
    UpdateStats tile;
    measure_mean(values, range, tile);
    all.sum_sq += sum_of_squares(values, range);
    all.nonfinite += tile.nonfinite;
    if (tile.nonfinite != 0 && all.first_nonfinite < 0) {
      all.first_nonfinite = range.base + first_nonfinite_of(values, range.low, range.high);
    }
  });
  return all;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
