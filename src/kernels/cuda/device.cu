#include <cuda_runtime.h>

#include "scorevi/kernels/exec.h"

namespace scorevi::kernels {

const char* cuda_unavailable_reason() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return "";
  cudaGetLastError();  // forget the failure
  const bool no_device = status == cudaSuccess || status == cudaErrorNoDevice;
  return no_device ? "no device" : "no driver";
}

}  // namespace scorevi::kernels
