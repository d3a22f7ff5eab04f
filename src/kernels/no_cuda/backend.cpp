// Stands in for the CUDA back end in programs that are built without it.
#include "backend.h"
#include "scorevi/core/error.h"

namespace scorevi::kernels {

const char* cuda_unavailable_reason() { return "built without CUDA"; }

namespace cuda {

template <class A>
typename A::Result run(const Exec& exec, int64_t /*begin*/, int64_t /*end*/, const A& /*arguments*/) {
  throw Error(ErrorKind::kUsage, "device: this program was built without CUDA, got cuda:" +
                                     std::to_string(exec.device_index) + ", expected cpu");
}

#define SCOREVI_INSTANTIATE(...) \
  template __VA_ARGS__::Result run<__VA_ARGS__>(const Exec&, int64_t, int64_t, const __VA_ARGS__&);
SCOREVI_ALL_KERNELS(SCOREVI_INSTANTIATE)

}  // namespace cuda
}  // namespace scorevi::kernels
