// Optimisers over flat buffers: which rule each range of elements gets, and the state that rule keeps.
// The arithmetic is in kernels (optimizer_rule.h); engines fuse it into their updates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/kernels/optimizer_rule.h"
#include "scorevi/optim/options.h"
#include "scorevi/params/flat_layout.h"
#include "scorevi/params/state_dict.h"

namespace scorevi::optim {

// Throws Error(kUsage) naming the first option out of its range.
void validate(const OptimizerOptions& options);

// The names of all optimisers with one line each, in the order in which they are listed to people.
struct OptimizerInfo {
  std::string name;
  std::string help;
};
const std::vector<OptimizerInfo>& optimizers();

class Optimizer {
 public:
  // `slots`: the buffers that are moved, for example {"mean", "log_std"}. State buffers [D] like `like` are made only
  // where the rule needs them: none for sgd without momentum, one with, two for adam and adamw, one or two for rmsprop.
  // Throws Error(kUsage) for bad options and for a group pattern that fits no parameter.
  Optimizer(const OptimizerOptions& options, const params::FlatLayout& layout, std::vector<std::string> slots,
            const at::Tensor& like);

  // Ranges with one learning rate and weight decay; they cover 0..D in order.
  const std::vector<params::GroupRange>& ranges() const { return ranges_; }

  // Counts the step t (from 1) whose rules are asked for next.
  void begin_step() { ++steps_; }
  int64_t steps() const { return steps_; }
  kernels::OptimizerRule rule(int range_index, double lr_factor) const;

  bool clips_norm() const { return options_.clip_norm > 0; }
  // min(1, clip_norm / (norm + 1e-6)): what gradients are multiplied by.
  double clip_factor(double gradient_norm) const;

  // Pointers to the state of a slot beside the parameter buffer [D] that it belongs to.
  template <class T>
  kernels::OptimizerSlot<T> slot(const std::string& name, const at::Tensor& param) const;

  // "optimizer.<state>.<slot>.<parameter>" tensors and "optimizer.*" metadata. load() throws Error(kData) for the state
  // of another optimiser or another network.
  void save(params::StateDict& state, const params::FlatLayout& layout) const;
  void load(const params::StateDict& state, const params::FlatLayout& layout);
  std::vector<std::string> buffers() const;

 private:
  struct Slot {
    std::string name;
    at::Tensor first, second;  // undefined where the rule keeps none
  };

  OptimizerOptions options_;
  std::vector<params::GroupRange> ranges_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
};

}  // namespace scorevi::optim
