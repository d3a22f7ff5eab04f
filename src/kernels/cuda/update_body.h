// One fused update of the elements of a group: gradient, optimiser, statistics.
#pragma once

#include "cuda/group_noise.h"
#include "functors/constants.h"
#include "functors/optimizer.h"

namespace scorevi::kernels::cuda {

template <class T>
struct DeviceRule {
  generic::RuleShape shape;
  generic::RuleConstants<T> constants;
};

template <class T>
DeviceRule<T> device_rule(const OptimizerRule& rule) {
  return {generic::shape_of(rule), generic::make_rule<T>(rule)};
}

template <generic::RuleShape kShape, class T>
__device__ void step_as(const generic::RuleConstants<T>& c, const OptimizerSlot<T>& slot, int64_t j, T gradient) {
  using generic::RuleShape;
  constexpr bool kFirst = kShape != RuleShape::kSgd && kShape != RuleShape::kRmsprop;
  constexpr bool kSecond = kShape != RuleShape::kSgd && kShape != RuleShape::kSgdMomentum;
  generic::SlotValue<T> x = {slot.param[j], T(0), T(0)};
  if constexpr (kFirst) x.first = slot.first[j];
  if constexpr (kSecond) x.second = slot.second[j];
  x = generic::optimizer_step<T, kShape>(c, gradient, x);
  slot.param[j] = x.param;
  if constexpr (kFirst) slot.first[j] = x.first;
  if constexpr (kSecond) slot.second[j] = x.second;
}

template <class T>
__device__ void step_element(const DeviceRule<T>& rule, const OptimizerSlot<T>& slot, int64_t j, T gradient) {
  using generic::RuleShape;
  switch (rule.shape) {
    case RuleShape::kSgd:
      return step_as<RuleShape::kSgd>(rule.constants, slot, j, gradient);
    case RuleShape::kSgdMomentum:
      return step_as<RuleShape::kSgdMomentum>(rule.constants, slot, j, gradient);
    case RuleShape::kAdam:
      return step_as<RuleShape::kAdam>(rule.constants, slot, j, gradient);
    case RuleShape::kRmsprop:
      return step_as<RuleShape::kRmsprop>(rule.constants, slot, j, gradient);
    case RuleShape::kRmspropMomentum:
      return step_as<RuleShape::kRmspropMomentum>(rule.constants, slot, j, gradient);
  }
}

// What one element adds to the statistics after its step. log_std is nullptr for a buffer of means alone.
template <class T>
__device__ void measure_element(const T* mean, const T* log_std, int64_t j, UpdateStats& all) {
  UpdateStats one;
  one.count = 1;
  one.nonfinite = generic::is_finite(mean[j]) ? 0 : 1;
  if (log_std != nullptr) {
    const T rho = log_std[j];
    one.sigma_sum = generic::exponential(rho);
    one.log_std_min = one.log_std_max = rho;
    if (!generic::is_finite(rho)) one.nonfinite = 1;
  }
  generic::merge_family(all, one);
}

template <class T>
__device__ void add_loss(const UpdateInput<T>& in, const generic::Gradient<T>& g, T mean, T log_std, UpdateStats& all) {
  const double m = mean, r = log_std, match = g.matching_root, prox = g.proximal_root;
  all.gradient_sq += m * m + r * r;
  all.kl += g.kl;
  all.log_prior += g.log_prior;
  if (in.samples != 1) return;
  all.matching += match * match;
  all.proximal += prox * prox;
}

template <class T, class G>
struct UpdateBody {
  UpdateInput<T> in;
  G gradient;
  DeviceRule<T> mean_rule, log_std_rule;
  OptimizerSlot<T> mean, log_std;
  const T* frozen_mean = nullptr;
  const T* frozen_log_std = nullptr;
  T* memory = nullptr;  // may be nullptr: 0
  bool newton = false;  // new_mean in place of the rule

  __device__ generic::Element<T> load(int64_t j, const GroupNoise<T>& noise, int k) const {
    generic::Element<T> x = {};
    x.mean = mean.param[j];
    x.score = in.score[j];
    x.prior_mean = in.prior_mean != nullptr ? in.prior_mean[j] : T(0);
    if constexpr (G::kUses.log_std) x.log_std = log_std.param[j];
    if constexpr (G::kUses.noise) {
      x.noise = noise.mean[k];
      x.noise_sq = noise.square[k];
      x.score_noise = in.score_noise != nullptr ? in.score_noise[j] : x.score * x.noise;
    }
    if constexpr (G::kUses.frozen) {
      x.frozen_mean = frozen_mean[j];
      x.frozen_log_std = frozen_log_std[j];
    }
    if constexpr (G::kUses.memory) x.memory = memory != nullptr ? memory[j] : T(0);
    return x;
  }

  __device__ void write(int64_t j, const generic::Gradient<T>& g, T mean_gradient, T log_std_gradient) const {
    if constexpr (G::kUses.memory) {
      if (memory != nullptr) memory[j] = g.memory;
    }
    if constexpr (G::kUses.new_values) {
      log_std.param[j] = g.new_log_std;
      if (newton) {
        mean.param[j] = g.new_mean;
        return;
      }
    } else if constexpr (G::kUses.log_std) {
      step_element(log_std_rule, log_std, j, log_std_gradient);
    }
    step_element(mean_rule, mean, j, mean_gradient);
  }

  __device__ void operator()(const Group& group, UpdateStats& all) const {
    const T scale = static_cast<T>(in.gradient_scale);
    GroupNoise<T> noise;
    if constexpr (G::kUses.noise) noise_moments(in, group, noise);
    for (int k = 0; k < 4; ++k) {
      if (k < group.low || k >= group.high) continue;
      const int64_t j = group.base + k;
      const generic::Gradient<T> g = gradient(load(j, noise, k));
      const T mean_gradient = g.mean * scale, log_std_gradient = g.log_std * scale;
      add_loss(in, g, mean_gradient, log_std_gradient, all);
      if (in.apply) write(j, g, mean_gradient, log_std_gradient);
      measure_element(mean.param, G::kUses.log_std ? log_std.param : nullptr, j, all);
    }
  }
};

}  // namespace scorevi::kernels::cuda
