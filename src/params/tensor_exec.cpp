#include "scorevi/params/tensor_exec.h"

#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <string>

#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

void parallel_for(int64_t tasks, void (*body)(void* context, int64_t task), void* context) {
  at::parallel_for(0, tasks, /*grain_size=*/1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) body(context, task);
  });
}

}  // namespace

kernels::Exec exec_for(const at::Tensor& tensor) {
  kernels::Exec exec;
  exec.parallel_for = parallel_for;
  const c10::Device device = tensor.device();
  if (device.is_cpu()) return exec;
  if (!device.is_cuda()) {
    throw Error(ErrorKind::kRuntime,
                "kernels: cannot run there, got device " + device.str() + ", expected cpu or cuda");
  }
  const c10::impl::VirtualGuardImpl guard(device.type());
  exec.device = kernels::Device::kCuda;
  exec.device_index = device.index();  // NOLINT(bugprone-signed-char-misuse): a small number, no letter
  exec.stream = guard.getStreamNativeHandle(guard.getStream(device));
  return exec;
}

}  // namespace scorevi::params
