// The two back ends: each runs a kernel over the elements [begin, end). `cpu` is part of this module; `cuda` comes
// from the library that a program links, scorevi_kernels_cuda or scorevi_kernels_nocuda.
#pragma once

#include "arguments.h"

namespace scorevi::kernels {

namespace cpu {
template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments);
}  // namespace cpu

namespace cuda {
template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments);
}  // namespace cuda

template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments) {
  return exec.device == Device::kCuda ? cuda::run(exec, begin, end, arguments) : cpu::run(exec, begin, end, arguments);
}

}  // namespace scorevi::kernels
