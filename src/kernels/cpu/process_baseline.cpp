// The CPU loops for any machine.
#define SCOREVI_ISA baseline
#include "cpu/lanes_portable.h"
#include "cpu/process.h"

#define SCOREVI_DEFINE(...)                                                                 \
  __VA_ARGS__::Result process_arguments(const __VA_ARGS__& a, int64_t begin, int64_t end) { \
    return process(a, begin, end);                                                          \
  }

namespace scorevi::kernels::baseline {
SCOREVI_ALL_KERNELS(SCOREVI_DEFINE)
}  // namespace scorevi::kernels::baseline
