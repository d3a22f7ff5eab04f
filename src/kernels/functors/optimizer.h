// One optimiser step at one element: the formulas of scorevi/kernels/optimizer_rule.h.
#pragma once

#include "functors/math.h"
#include "scorevi/kernels/optimizer_rule.h"

namespace scorevi::kernels::SCOREVI_ISA {

// What differs in structure; hyper-parameters are data.
enum class RuleShape { kSgd, kSgdMomentum, kAdam, kRmsprop, kRmspropMomentum };

SCOREVI_HOST_DEVICE RuleShape shape_of(const OptimizerRule& rule) {
  switch (rule.kind) {
    case OptimizerKind::kSgd:
      return rule.momentum != 0 ? RuleShape::kSgdMomentum : RuleShape::kSgd;
    case OptimizerKind::kRmsprop:
      return rule.momentum != 0 ? RuleShape::kRmspropMomentum : RuleShape::kRmsprop;
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      break;
  }
  return RuleShape::kAdam;
}

template <class T>
struct RuleConstants {
  T clip;                        // inf: off
  T decay;                       // added to g times p
  T shrink;                      // adamw: p is multiplied by it
  T lr;                          // divided by bias1 for adam
  T momentum, gain;              // b = momentum b + gain g
  T look_gradient, look_buffer;  // step = look_gradient g + look_buffer b
  T keep1, take1, keep2, take2;
  T root_scale;  // 1/sqrt(bias2)
  T eps;
};

template <class T>
SCOREVI_HOST_DEVICE RuleConstants<T> make_rule(const OptimizerRule& r) {
  const bool adam = shape_of(r) == RuleShape::kAdam;
  const bool adamw = r.kind == OptimizerKind::kAdamW;
  RuleConstants<T> c;
  c.clip = r.clip_value > 0 ? static_cast<T>(r.clip_value) : static_cast<T>(HUGE_VAL);
  c.decay = adamw ? T(0) : static_cast<T>(r.weight_decay);
  c.shrink = adamw ? static_cast<T>(1.0 - r.lr * r.weight_decay) : T(1);
  c.lr = static_cast<T>(adam ? r.lr / r.bias1 : r.lr);
  c.momentum = r.first_step ? T(0) : static_cast<T>(r.momentum);
  c.gain = r.first_step ? T(1) : static_cast<T>(1.0 - r.dampening);
  c.look_gradient = r.nesterov ? T(1) : T(0);
  c.look_buffer = r.nesterov ? static_cast<T>(r.momentum) : T(1);
  c.keep1 = static_cast<T>(r.beta1);
  c.take1 = static_cast<T>(1.0 - r.beta1);
  c.keep2 = static_cast<T>(r.beta2);
  c.take2 = static_cast<T>(1.0 - r.beta2);
  c.root_scale = adam ? static_cast<T>(1.0 / ::sqrt(r.bias2)) : T(1);
  c.eps = static_cast<T>(r.eps);
  return c;
}

template <class T>
struct SlotValue {
  T param, first, second;
};

template <class T, RuleShape kShape>
SCOREVI_HOST_DEVICE SlotValue<T> optimizer_step(const RuleConstants<T>& c, T gradient, SlotValue<T> x) {
  const T g = clamp(gradient, -c.clip, c.clip) + c.decay * x.param;
  if constexpr (kShape == RuleShape::kSgd) {
    x.param -= c.lr * g;
  }
  if constexpr (kShape == RuleShape::kSgdMomentum) {
    x.first = c.momentum * x.first + c.gain * g;
    x.param -= c.lr * (c.look_gradient * g + c.look_buffer * x.first);
  }
  if constexpr (kShape == RuleShape::kAdam) {
    x.first = c.keep1 * x.first + c.take1 * g;
    x.second = c.keep2 * x.second + c.take2 * (g * g);
    x.param = c.shrink * x.param - c.lr * x.first / (square_root(x.second) * c.root_scale + c.eps);
  }
  if constexpr (kShape == RuleShape::kRmsprop || kShape == RuleShape::kRmspropMomentum) {
    x.second = c.keep2 * x.second + c.take2 * (g * g);
    const T step = g / (square_root(x.second) + c.eps);
    if constexpr (kShape == RuleShape::kRmspropMomentum) {
      x.first = c.momentum * x.first + step;
      x.param -= c.lr * x.first;
    } else {
      x.param -= c.lr * step;
    }
  }
  return x;
}

}  // namespace scorevi::kernels::SCOREVI_ISA
