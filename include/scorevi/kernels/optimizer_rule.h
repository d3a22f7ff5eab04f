// One optimiser step on one element, as plain data that host and device kernels share.
#pragma once

namespace scorevi::kernels {

enum class OptimizerKind { kSgd, kAdam, kAdamW, kRmsprop };

// Hyper-parameters of one step for one range of elements. The formulas are torch.optim's:
//   sgd      b = g (first step), else momentum*b + (1-dampening)*g; p -= lr * (nesterov ? g + momentum*b : b)
//   adam     m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; p -= lr * (m/bias1) / (sqrt(v/bias2) + eps)
//   adamw    p *= 1 - lr*weight_decay, then adam; elsewhere g += weight_decay * p before the update
//   rmsprop  v = b2 v + (1-b2) g^2; b = momentum*b + g / (sqrt(v) + eps); p -= lr * b
struct OptimizerRule {
  OptimizerKind kind = OptimizerKind::kSgd;
  double lr = 0;
  double weight_decay = 0;
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  bool first_step = true;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double bias1 = 1;       // 1 - beta1^t
  double bias2 = 1;       // 1 - beta2^t
  double clip_value = 0;  // entries of g are clamped to [-clip_value, clip_value]; 0 = off
};

// A parameter buffer with its optimiser state. All pointers are at element 0; nullptr where the rule needs none.
template <class T>
struct OptimizerSlot {
  T* param = nullptr;
  T* first = nullptr;   // momentum buffer or first moment
  T* second = nullptr;  // second moment
};

}  // namespace scorevi::kernels
