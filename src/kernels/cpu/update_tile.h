// The stages of a fused update on one tile: gradients into tile buffers, optimiser, statistics.
#pragma once

#include "cpu/noise_tile.h"
#include "functors/gradients.h"
#include "functors/optimizer.h"
#include "functors/statistics.h"

namespace scorevi::kernels::SCOREVI_ISA {

// The tile's part of every stream that a gradient may read. Unused ones are nullptr.
template <class T>
struct TileStreams {
  const T* mean = nullptr;
  const T* log_std = nullptr;
  const T* score = nullptr;
  const T* score_noise = nullptr;
  const T* noise = nullptr;
  const T* noise_sq = nullptr;
  const T* prior_mean = nullptr;
  const T* frozen_mean = nullptr;
  const T* frozen_log_std = nullptr;
  const T* memory = nullptr;
};

template <class T>
struct TileGradients {
  alignas(64) T mean[kTile];
  alignas(64) T log_std[kTile];
  alignas(64) T memory[kTile];
  alignas(64) T new_mean[kTile];
  alignas(64) T new_log_std[kTile];
  alignas(64) T matching_root[kTile];
  alignas(64) T proximal_root[kTile];
  alignas(64) T kl[kTile];
  alignas(64) T log_prior[kTile];
};

template <class T>
const T* zero_tile() {
  alignas(64) static const T kZeros[kTile] = {};
  return kZeros;
}

template <class G, class T>
Element<T> load_element(const TileStreams<T>& s, int i) {
  Element<T> x = {};
  x.mean = s.mean[i];
  x.score = s.score[i];
  x.prior_mean = s.prior_mean[i];
  if constexpr (G::kUses.log_std) x.log_std = s.log_std[i];
  if constexpr (G::kUses.noise) {
    x.score_noise = s.score_noise[i];
    x.noise = s.noise[i];
    x.noise_sq = s.noise_sq[i];
  }
  if constexpr (G::kUses.frozen) {
    x.frozen_mean = s.frozen_mean[i];
    x.frozen_log_std = s.frozen_log_std[i];
  }
  if constexpr (G::kUses.memory) x.memory = s.memory[i];
  return x;
}

// Gradients times `scale`, and the loss terms, into `out`.
template <class G, class T>
void gradient_loop(const G& gradient, const TileStreams<T>& s, T scale, TileGradients<T>& out) {
#pragma GCC ivdep
  for (int i = 0; i < kTile; ++i) {
    const Gradient<T> g = gradient(load_element<G>(s, i));
    out.mean[i] = g.mean * scale;
    if constexpr (G::kUses.log_std) {
      out.log_std[i] = g.log_std * scale;
      out.kl[i] = g.kl;
    } else {
      out.log_prior[i] = g.log_prior;
    }
    if constexpr (G::kUses.losses) out.matching_root[i] = g.matching_root;
    if constexpr (G::kUses.frozen) out.proximal_root[i] = g.proximal_root;
    if constexpr (G::kUses.memory) out.memory[i] = g.memory;
    if constexpr (G::kUses.new_values) {
      out.new_mean[i] = g.new_mean;
      out.new_log_std[i] = g.new_log_std;
    }
  }
}

// Sums over the visited elements. Loops with a reduction hold scalars alone, or they would not vectorise.
template <class T>
double sum_of(const T* values, const TileRange& range) {
  const int low = range.low, high = range.high;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < kTile; ++i) {
    const T x = values[i];
    sum += i >= low && i < high ? x : T(0);
  }
  return sum;
}

template <class T>
double sum_of_squares(const T* values, const TileRange& range) {
  const int low = range.low, high = range.high;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < kTile; ++i) {
    const T x = values[i];
    const double inside = i >= low && i < high ? x : T(0);
    sum += inside * inside;
  }
  return sum;
}

template <RuleShape kShape, class T>
void optimizer_loop(const RuleConstants<T>& c, const T* gradient, T* param, T* first, T* second) {
  constexpr bool kFirst = kShape != RuleShape::kSgd && kShape != RuleShape::kRmsprop;
  constexpr bool kSecond = kShape != RuleShape::kSgd && kShape != RuleShape::kSgdMomentum;
#pragma GCC ivdep
  for (int i = 0; i < kTile; ++i) {
    SlotValue<T> x = {param[i], T(0), T(0)};
    if constexpr (kFirst) x.first = first[i];
    if constexpr (kSecond) x.second = second[i];
    x = optimizer_step<T, kShape>(c, gradient[i], x);
    param[i] = x.param;
    if constexpr (kFirst) first[i] = x.first;
    if constexpr (kSecond) second[i] = x.second;
  }
}

template <class T>
void step_tile(const OptimizerRule& rule, const T* gradient, T* param, T* first, T* second) {
  const RuleConstants<T> c = make_rule<T>(rule);
  switch (shape_of(rule)) {
    case RuleShape::kSgd:
      return optimizer_loop<RuleShape::kSgd>(c, gradient, param, first, second);
    case RuleShape::kSgdMomentum:
      return optimizer_loop<RuleShape::kSgdMomentum>(c, gradient, param, first, second);
    case RuleShape::kAdam:
      return optimizer_loop<RuleShape::kAdam>(c, gradient, param, first, second);
    case RuleShape::kRmsprop:
      return optimizer_loop<RuleShape::kRmsprop>(c, gradient, param, first, second);
    case RuleShape::kRmspropMomentum:
      return optimizer_loop<RuleShape::kRmspropMomentum>(c, gradient, param, first, second);
  }
}

// Non-finite means alone, for a buffer without standard deviations.
template <class T>
void measure_mean(const T* mean, const TileRange& range, UpdateStats& stats) {
  const int low = range.low, high = range.high;
  int bad = 0;
#pragma omp simd reduction(+ : bad)
  for (int i = 0; i < kTile; ++i) {
    const T m = mean[i];
    bad += i >= low && i < high && !(m - m == T(0)) ? 1 : 0;
  }
  stats.nonfinite += bad;
  stats.count += high - low;
}

// The family after the step. The extremes of an empty UpdateStats (count 0) are replaced.
template <class T>
void measure_family(const T* mean, const T* log_std, const TileRange& range, UpdateStats& stats) {
  const int low = range.low, high = range.high;
  const T start = log_std[low];
  T least = start, most = start;
  int bad = 0;
#pragma omp simd reduction(+ : bad) reduction(min : least) reduction(max : most)
  for (int i = 0; i < kTile; ++i) {
    const T m = mean[i], r = log_std[i];
    const bool inside = i >= low && i < high;
    const T rho = inside ? r : start;
    least = rho < least ? rho : least;
    most = rho > most ? rho : most;
    const T zero_if_finite = (m - m) + (r - r);
    bad += inside && !(zero_if_finite == T(0)) ? 1 : 0;
  }
  alignas(64) T sigma[kTile];
#pragma GCC ivdep
  for (int i = 0; i < kTile; ++i) sigma[i] = exponential(log_std[i]);
  UpdateStats tile;
  tile.sigma_sum = sum_of(sigma, range);
  tile.log_std_min = least;
  tile.log_std_max = most;
  tile.nonfinite = bad;
  tile.count = high - low;
  merge_family(stats, tile);
}

}  // namespace scorevi::kernels::SCOREVI_ISA
