// The CPU loops for AVX2 and FMA.
#define SCOREVI_ISA avx2
#include "cpu/lanes_avx2.h"
#include "cpu/process.h"

#define SCOREVI_DEFINE(...)                                                                 \
  __VA_ARGS__::Result process_arguments(const __VA_ARGS__& a, int64_t begin, int64_t end) { \
    return process(a, begin, end);                                                          \
  }

namespace scorevi::kernels::avx2 {
SCOREVI_ALL_KERNELS(SCOREVI_DEFINE)
}  // namespace scorevi::kernels::avx2
