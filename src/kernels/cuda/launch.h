// How every kernel runs on a device: threads stride over groups of four elements (one Philox block), and what they
// measure is reduced in a fixed order in two stages, in double.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "arguments.h"
#include "functors/statistics.h"
#include "scorevi/core/error.h"

namespace scorevi::kernels::cuda {

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 1024;

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(ErrorKind::kRuntime, std::string("cuda: ") + what + " failed, got " + cudaGetErrorName(status) + " (" +
                                       cudaGetErrorString(status) + "), expected success");
}

// Makes the device of `exec` current while it lives.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Exec& exec) {
    check_cuda(cudaGetDevice(&previous_), "cudaGetDevice");
    check_cuda(cudaSetDevice(exec.device_index), "cudaSetDevice");
  }
  ~DeviceGuard() { cudaSetDevice(previous_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = 0;
};

// Device memory from the stream's pool: taken and given back in stream order.
class Workspace {
 public:
  Workspace(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    check_cuda(cudaMallocAsync(&memory_, bytes, stream), "cudaMallocAsync");
  }
  ~Workspace() { cudaFreeAsync(memory_, stream_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
  cudaStream_t stream_;
};

// The elements [begin, end) that are visited, among the four of block `base / 4`.
struct Group {
  int64_t base;
  int low, high;
};

__device__ inline Group group_at(int64_t block, int64_t begin, int64_t end) {
  const int64_t base = 4 * block;
  return {base, static_cast<int>(base < begin ? begin - base : 0), static_cast<int>(base + 4 > end ? end - base : 4)};
}

__device__ inline void merge_result(NoResult&, const NoResult&) {}
__device__ inline void merge_result(UpdateStats& all, const UpdateStats& later) { generic::merge_stats(all, later); }
__device__ inline void merge_result(FiniteCheck& all, const FiniteCheck& later) { generic::merge_finite(all, later); }

// The sum over the threads of a block, in thread 0. `storage` has kThreads entries.
template <class R>
__device__ void reduce_block(R* storage, const R& own) {
  storage[threadIdx.x] = own;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      merge_result(storage[threadIdx.x], storage[threadIdx.x + half]);
    }
  }
}

template <class R>
struct SharedResults {
  alignas(16) unsigned char bytes[kThreads * sizeof(R)];
  __device__ R* get() { return reinterpret_cast<R*>(bytes); }
};

template <class Body, class R>
__global__ void visit_groups(Body body, int64_t begin, int64_t end, R* partial) {
  R own;
  const int64_t last = (end + 3) / 4;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t b = begin / 4 + static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; b < last; b += stride) {
    body(group_at(b, begin, end), own);
  }
  if (partial == nullptr) return;
  __shared__ SharedResults<R> shared;
  reduce_block(shared.get(), own);
  if (threadIdx.x == 0) partial[blockIdx.x] = shared.get()[0];
}

template <class R>
__global__ void reduce_partials(const R* partial, int count, R* result) {
  R own;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) merge_result(own, partial[i]);
  __shared__ SharedResults<R> shared;
  reduce_block(shared.get(), own);
  if (threadIdx.x == 0) *result = shared.get()[0];
}

inline int64_t blocks_for(int64_t begin, int64_t end) {
  const int64_t groups = (end + 3) / 4 - begin / 4;
  const int64_t blocks = (groups + kThreads - 1) / kThreads;
  return blocks < kMaxBlocks ? blocks : kMaxBlocks;
}

// Runs body(group, result) over all groups of [begin, end); waits for the device.
template <class R, class Body>
R measure(const Exec& exec, int64_t begin, int64_t end, const Body& body) {
  R result;
  if (begin >= end) return result;
  const DeviceGuard guard(exec);
  const auto stream = static_cast<cudaStream_t>(exec.stream);
  const int64_t blocks = blocks_for(begin, end);
  const Workspace workspace(static_cast<std::size_t>(blocks + 1) * sizeof(R), stream);
  R* partial = static_cast<R*>(workspace.get());
  visit_groups<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(body, begin, end, partial);
  reduce_partials<<<1, kThreads, 0, stream>>>(partial, static_cast<int>(blocks), partial + blocks);
  check_cuda(cudaGetLastError(), "kernel launch");
  check_cuda(cudaMemcpyAsync(&result, partial + blocks, sizeof(R), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return result;
}

// The same without a result; returns at once.
template <class Body>
NoResult visit(const Exec& exec, int64_t begin, int64_t end, const Body& body) {
  if (begin >= end) return {};
  const DeviceGuard guard(exec);
  const auto stream = static_cast<cudaStream_t>(exec.stream);
  visit_groups<Body, NoResult>
      <<<static_cast<unsigned>(blocks_for(begin, end)), kThreads, 0, stream>>>(body, begin, end, nullptr);
  check_cuda(cudaGetLastError(), "kernel launch");
  return {};
}

}  // namespace scorevi::kernels::cuda
