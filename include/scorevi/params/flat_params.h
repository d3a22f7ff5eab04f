// A module's parameters and gradients as views into two contiguous buffers.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "scorevi/params/flat_layout.h"

namespace scorevi::params {

struct FlatParamsOptions {
  bool gradients = true;  // false: no gradient buffer, for prediction only
};

// Moves the given parameters into values() [D], so that writing theta into the network is one fill.
// D counts the parameters that require a gradient, in the given order (named_parameters()); frozen
// ones stay where they are. A parameter that is listed twice (tied weights) is taken once, under
// its first name. Memory: 2 D, and D more for a moment while the old values are copied.
//
// Holds while the parameters' data are not replaced: move the module to its device and dtype first,
// and flatten it once. In-place writes to values() are invisible to autograd: never write between
// forward and backward.
class FlatParams {
 public:
  // Throws Error(kUsage) when there is nothing to train, when the trained parameters differ in
  // dtype or device or are not floating point, or when two of them overlap in memory without being
  // the same tensor.
  explicit FlatParams(const std::vector<std::pair<std::string, at::Tensor>>& named_parameters,
                      const FlatParamsOptions& options = {});
  FlatParams(FlatParams&&) = default;
  FlatParams& operator=(FlatParams&&) = default;
  FlatParams(const FlatParams&) = delete;
  FlatParams& operator=(const FlatParams&) = delete;

  const FlatLayout& layout() const { return layout_; }
  int64_t dim() const { return layout_.dim(); }
  const at::Tensor& values() const { return values_; }
  const at::Tensor& gradients() const { return gradients_; }  // undefined without options.gradients

  // The trained parameters, in the order of the layout.
  std::vector<at::Tensor> parameters() const;

  // One fill. Also puts back gradients that were cleared or replaced.
  void zero_gradients();

  // After backward: backward adds into gradients() in place, except where something replaced a
  // parameter's gradient by a tensor of its own (create_graph, a cleared gradient). Copies those
  // into the buffer and binds the views again; a parameter without a gradient gets zero. Returns
  // how many had to be repaired: 0 in ordinary training.
  int gather_gradients();

  // Whether all parameters still are views of values().
  bool aliased() const;

 private:
  struct Slot {
    at::Tensor parameter;
    at::Tensor gradient;  // view
    const void* data = nullptr;
  };
  std::vector<Slot> slots_;
  FlatLayout layout_;
  at::Tensor values_, gradients_;
};

}  // namespace scorevi::params
