#include "resample_avx2.h"

namespace scorevi::data {

const ResampleKernels& resample_kernels() {
  static const bool kAvx2 = __builtin_cpu_supports("avx2") != 0;
  return kAvx2 ? kAvx2Resample : kPortableResample;
}

}  // namespace scorevi::data
