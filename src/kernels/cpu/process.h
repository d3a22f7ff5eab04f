// Every kernel on a range of elements, one tile after the other. This file is compiled once per instruction set, by
// the process_*.cpp sources, each with its own compiler flags and its own namespace SCOREVI_ISA.
#pragma once

#include "arguments.h"
#include "cpu/process_noise.h"
#include "cpu/update_tile.h"
#include "functors/constants.h"

namespace scorevi::kernels::SCOREVI_ISA {

// The shared course of an update: moments, gradients, then `finish(buffers, gradients)` writes.
template <class T, class G>
void gradient_tile(const UpdateInput<T>& in, const TileRange& range, const G& gradient, TileStreams<T>& streams,
                   TileBuffers<T>& buffers, TileNoise<T>& noise, TileGradients<T>& out, UpdateStats& stats) {
  streams.score = buffers.read(in.score);
  streams.prior_mean = buffers.read(in.prior_mean);
  if (streams.prior_mean == nullptr) streams.prior_mean = zero_tile<T>();
  if constexpr (G::kUses.noise) {
    streams.score_noise = noise_moments(in, range, streams.score, buffers.read(in.score_noise), noise);
    streams.noise = noise.mean;
    streams.noise_sq = noise.square;
  }
  gradient_loop(gradient, streams, static_cast<T>(in.gradient_scale), out);
  stats.gradient_sq += sum_of_squares(out.mean, range);
  if constexpr (G::kUses.log_std) {
    if constexpr (!G::kUses.new_values) stats.gradient_sq += sum_of_squares(out.log_std, range);
    stats.kl += sum_of(out.kl, range);
    if (in.samples != 1) return;
    if constexpr (G::kUses.losses) stats.matching += sum_of_squares(out.matching_root, range);
    if constexpr (G::kUses.frozen) stats.proximal += sum_of_squares(out.proximal_root, range);
  } else {
    stats.log_prior += sum_of(out.log_prior, range);
  }
}

template <class T>
struct TileSlot {
  T *param, *first, *second;
};

// Without `write` the state is not needed and the parameters are read only.
template <class T>
TileSlot<T> tile_slot(TileBuffers<T>& buffers, const OptimizerSlot<T>& slot, bool write) {
  if (!write) return {const_cast<T*>(buffers.read(slot.param)), nullptr, nullptr};
  return {buffers.update(slot.param), buffers.update_or_null(slot.first), buffers.update_or_null(slot.second)};
}

template <class T>
UpdateStats process(const StepArguments<T>& a, int64_t begin, int64_t end) {
  UpdateStats stats;
  for_each_tile(begin, end, [&](const TileRange& range) {
    TileBuffers<T> buffers(range);
    alignas(64) T scaled[kTile];
    const T* gradient = buffers.read(a.gradient);
    const T scale = static_cast<T>(a.scale);
#pragma GCC ivdep
    for (int i = 0; i < kTile; ++i) scaled[i] = gradient[i] * scale;
    stats.gradient_sq += sum_of_squares(scaled, range);
    const TileSlot<T> slot = tile_slot(buffers, a.param, true);
    step_tile(a.rule, scaled, slot.param, slot.first, slot.second);
    measure_mean(slot.param, range, stats);
    buffers.commit();
  });
  return stats;
}

template <class T>
UpdateStats process(const MapArguments<T>& a, int64_t begin, int64_t end) {
  UpdateStats stats;
  const MapGradient<T> gradient = {make_prior<T>(a.in.prior_std)};
  for_each_tile(begin, end, [&](const TileRange& range) {
    TileBuffers<T> buffers(range);
    TileNoise<T> noise;
    TileGradients<T> out;
    TileStreams<T> streams;
    const TileSlot<T> mean = tile_slot(buffers, a.mean, a.in.apply);
    streams.mean = mean.param;
    gradient_tile(a.in, range, gradient, streams, buffers, noise, out, stats);
    if (a.in.apply) step_tile(a.rule, out.mean, mean.param, mean.first, mean.second);
    measure_mean(mean.param, range, stats);
    buffers.commit();
  });
  return stats;
}

template <class T, class G>
UpdateStats process_gradient(const AdviArguments<T>& a, const G& gradient, int64_t begin, int64_t end,
                             const PsmOptions<T>& options) {
  UpdateStats stats;
  for_each_tile(begin, end, [&](const TileRange& range) {
    TileBuffers<T> buffers(range);
    TileNoise<T> noise;
    TileGradients<T> out;
    TileStreams<T> streams;
    const TileSlot<T> mean = tile_slot(buffers, a.mean, a.in.apply);
    const TileSlot<T> log_std = tile_slot(buffers, a.log_std, a.in.apply);
    T* memory = nullptr;
    if constexpr (G::kUses.memory) {
      memory = a.in.apply ? buffers.update(options.curvature) : const_cast<T*>(buffers.read(options.curvature));
    }
    streams.mean = mean.param;
    streams.log_std = log_std.param;
    streams.memory = memory;
    if constexpr (G::kUses.frozen) {
      streams.frozen_mean = buffers.read(options.frozen_mean);
      streams.frozen_log_std = buffers.read(options.frozen_log_std);
    }
    gradient_tile(a.in, range, gradient, streams, buffers, noise, out, stats);
    if (a.in.apply) {
      step_tile(a.rule, out.mean, mean.param, mean.first, mean.second);
      step_tile(a.log_std_rule, out.log_std, log_std.param, log_std.first, log_std.second);
      if constexpr (G::kUses.memory) memcpy(memory, out.memory, sizeof out.memory);
    }
    measure_family(mean.param, log_std.param, range, stats);
    buffers.commit();
  });
  return stats;
}

template <class T>
UpdateStats process(const AdviArguments<T>& a, int64_t begin, int64_t end) {
  const Prior<T> prior = make_prior<T>(a.in.prior_std);
  if (a.kl_sampled) return process_gradient(a, AdviGradient<T, true>{prior}, begin, end, {});
  return process_gradient(a, AdviGradient<T, false>{prior}, begin, end, {});
}

template <Estimator kEstimator, Norm kNorm, class T>
UpdateStats process_psm(const PsmArguments<T>& a, int64_t begin, int64_t end) {
  const PsmConstants<T> c = make_psm(a.options, a.in.prior_std);
  const AdviArguments<T> shared = {a.in, false, a.rule, a.log_std_rule, a.mean, a.log_std};
  if (a.options.frozen_mean == nullptr) {
    const PsmGradient<T, kEstimator, kNorm, false> gradient = {c};
    return process_gradient(shared, gradient, begin, end, a.options);
  }
  const PsmGradient<T, kEstimator, kNorm, true> gradient = {c};
  return process_gradient(shared, gradient, begin, end, a.options);
}

template <Estimator kEstimator, class T>
UpdateStats process_psm(const PsmArguments<T>& a, int64_t begin, int64_t end) {
  if (a.options.norm == Norm::kCovariance) {
    return process_psm<kEstimator, Norm::kCovariance>(a, begin, end);
  }
  return process_psm<kEstimator, Norm::kEuclidean>(a, begin, end);
}

template <class T>
UpdateStats process(const PsmArguments<T>& a, int64_t begin, int64_t end) {
  switch (a.options.estimator) {
    case Estimator::kSampled:
      return process_psm<Estimator::kSampled>(a, begin, end);
    case Estimator::kAnalytic:
      return process_psm<Estimator::kAnalytic>(a, begin, end);
    case Estimator::kAdaptive:
      break;
  }
  return process_psm<Estimator::kAdaptive>(a, begin, end);
}

template <class T>
UpdateStats process(const ClosedFormArguments<T>& a, int64_t begin, int64_t end) {
  UpdateStats stats;
  const ClosedFormGradient<T> gradient = {make_closed_form(a.options, a.in.prior_std)};
  const bool averaged = a.options.average != nullptr, write = a.in.apply;
  for_each_tile(begin, end, [&](const TileRange& range) {
    TileBuffers<T> buffers(range);
    TileNoise<T> noise;
    TileGradients<T> out;
    TileStreams<T> streams;
    const TileSlot<T> mean = tile_slot(buffers, a.mean, write);
    T* log_std = write ? buffers.update(a.log_std.param) : const_cast<T*>(buffers.read(a.log_std.param));
    T* average = averaged && write ? buffers.update(a.options.average) : nullptr;
    streams.mean = mean.param;
    streams.log_std = log_std;
    streams.memory = averaged ? (write ? average : buffers.read(a.options.average)) : zero_tile<T>();
    gradient_tile(a.in, range, gradient, streams, buffers, noise, out, stats);
    if (write) {
      if (a.options.newton) {
        memcpy(mean.param, out.new_mean, sizeof out.new_mean);
      } else {
        step_tile(a.rule, out.mean, mean.param, mean.first, mean.second);
      }
      memcpy(log_std, out.new_log_std, sizeof out.new_log_std);
      if (average != nullptr) memcpy(average, out.memory, sizeof out.memory);
    }
    measure_family(mean.param, log_std, range, stats);
    buffers.commit();
  });
  return stats;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
