// The CPU loops for AVX-512 (F, BW, DQ, VL).
#define SCOREVI_ISA avx512
#include "cpu/lanes_avx512.h"
#include "cpu/process.h"

#define SCOREVI_DEFINE(...)                                                                 \
  __VA_ARGS__::Result process_arguments(const __VA_ARGS__& a, int64_t begin, int64_t end) { \
    return process(a, begin, end);                                                          \
  }

namespace scorevi::kernels::avx512 {
SCOREVI_ALL_KERNELS(SCOREVI_DEFINE)
}  // namespace scorevi::kernels::avx512
