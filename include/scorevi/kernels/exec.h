// Where and how a kernel runs. Kernels take raw pointers, index ranges and an Exec; they never see a tensor.
#pragma once

#include <cstdint>

namespace scorevi::kernels {

enum class Device { kCpu, kCuda };

// Runs body(context, i) once for every i in [0, tasks), in any order, possibly in parallel.
using ParallelFor = void (*)(int64_t tasks, void (*body)(void* context, int64_t task), void* context);

// Results never depend on how the tasks are spread: every task covers a fixed range of elements and
// partial sums are added in task order.
struct Exec {
  Device device = Device::kCpu;
  int device_index = 0;
  void* stream = nullptr;              // cudaStream_t where device is kCuda
  ParallelFor parallel_for = nullptr;  // nullptr: one thread
};

// What a CUDA device would need, told as one of: "" (usable), "built without CUDA", "no driver", "no device".
const char* cuda_unavailable_reason();

}  // namespace scorevi::kernels
