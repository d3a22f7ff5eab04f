// Where the kernels run that work on a tensor's memory.
#pragma once

#include <ATen/core/Tensor.h>

#include "scorevi/kernels/exec.h"

namespace scorevi::params {

// CPU: tasks spread over LibTorch's intra-op threads. CUDA: the tensor's device and the stream that
// is current there, asked from LibTorch when it runs, so that no CUDA header is needed here.
// Throws Error(kRuntime) for a tensor elsewhere.
kernels::Exec exec_for(const at::Tensor& tensor);

}  // namespace scorevi::params
