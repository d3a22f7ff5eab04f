// Activation checkpointing (Chen, Xu, Zhang, Guestrin, "Training deep nets with sublinear memory
// cost", 2016) for a part of a network.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace scorevi::models {

using Part = std::function<at::Tensor(const at::Tensor&)>;

// part(x) with the same value and the same gradients, but of all it computes only x and the result
// are kept: the backward pass runs `part` once more. The gradients are those of ordinary autograd to
// the last bit where the operations are deterministic.
//   part        a function of x and `parameters` alone; it outlives the backward pass
//   parameters  all that `part` uses and that may need a gradient
//   random      whether it draws from LibTorch's generator of x's device: the second run then starts
//               from the same state, and leaves the generator as it was
at::Tensor recompute_in_backward(const Part& part, const at::Tensor& x, const std::vector<at::Tensor>& parameters,
                                 bool random);

}  // namespace scorevi::models
