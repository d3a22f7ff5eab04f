// The arguments of every kernel as one plain struct each: what the dispatch hands to the CPU or the CUDA back end.
#pragma once

#include "scorevi/kernels/exec.h"
#include "scorevi/kernels/noise.h"
#include "scorevi/kernels/optimizer_rule.h"
#include "scorevi/kernels/update.h"

namespace scorevi::kernels {

// For kernels that measure nothing.
struct NoResult {
  void merge(const NoResult&) {}
};

template <class T>
struct FillArguments {
  using Result = NoResult;
  NoiseKey key;
  T* out;
};

template <class T>
struct SampleArguments {
  using Result = NoResult;
  NoiseKey key;
  const T* mean;
  const T* log_std;
  T* theta;
};

template <class T>
struct AccumulateArguments {
  using Result = NoResult;
  NoiseKey key;
  int samples;
  bool first;
  const T* score;
  T* score_mean;
  T* score_noise_mean;
};

template <class T>
struct FiniteArguments {
  using Result = FiniteCheck;
  const T* values;
};

template <class T>
struct StepArguments {
  using Result = UpdateStats;
  const T* gradient;
  double scale;
  OptimizerRule rule;
  OptimizerSlot<T> param;
};

template <class T>
struct MapArguments {
  using Result = UpdateStats;
  UpdateInput<T> in;
  OptimizerRule rule;
  OptimizerSlot<T> mean;
};

template <class T>
struct AdviArguments {
  using Result = UpdateStats;
  UpdateInput<T> in;
  bool kl_sampled;
  OptimizerRule rule, log_std_rule;
  OptimizerSlot<T> mean, log_std;
};

template <class T>
struct PsmArguments {
  using Result = UpdateStats;
  UpdateInput<T> in;
  PsmOptions<T> options;
  OptimizerRule rule, log_std_rule;
  OptimizerSlot<T> mean, log_std;
};

template <class T>
struct ClosedFormArguments {
  using Result = UpdateStats;
  UpdateInput<T> in;
  ClosedFormOptions<T> options;
  OptimizerRule rule;
  OptimizerSlot<T> mean, log_std;
};

// MACRO(arguments type) for every kernel of an element type: the explicit instantiations of a back end.
#define SCOREVI_NOISE_KERNELS(MACRO, T) \
  MACRO(FillArguments<T>)               \
  MACRO(SampleArguments<T>)             \
  MACRO(AccumulateArguments<T>)         \
  MACRO(FiniteArguments<T>)
#define SCOREVI_UPDATE_KERNELS(MACRO, T) \
  MACRO(StepArguments<T>)                \
  MACRO(MapArguments<T>)                 \
  MACRO(AdviArguments<T>)                \
  MACRO(ClosedFormArguments<T>)
#define SCOREVI_KERNELS_OF_TYPE(MACRO, T) \
  SCOREVI_NOISE_KERNELS(MACRO, T) SCOREVI_UPDATE_KERNELS(MACRO, T) MACRO(PsmArguments<T>)
#define SCOREVI_ALL_KERNELS(MACRO) SCOREVI_KERNELS_OF_TYPE(MACRO, float) SCOREVI_KERNELS_OF_TYPE(MACRO, double)

}  // namespace scorevi::kernels
