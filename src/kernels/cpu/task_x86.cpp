#include "cpu/task.h"

namespace scorevi::kernels {

#define SCOREVI_DECLARE(...) __VA_ARGS__::Result process_arguments(const __VA_ARGS__&, int64_t, int64_t);
namespace baseline {
SCOREVI_ALL_KERNELS(SCOREVI_DECLARE)
}  // namespace baseline
namespace avx2 {
SCOREVI_ALL_KERNELS(SCOREVI_DECLARE)
}  // namespace avx2
namespace avx512 {
SCOREVI_ALL_KERNELS(SCOREVI_DECLARE)
}  // namespace avx512

namespace cpu {

InstructionSet detect_instruction_set() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) return InstructionSet::kAvx512;
  return avx2 ? InstructionSet::kAvx2 : InstructionSet::kBaseline;
}

template <class A>
Task<A> task_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return avx512::process_arguments;
    case InstructionSet::kAvx2:
      return avx2::process_arguments;
    case InstructionSet::kBaseline:
      break;
  }
  return baseline::process_arguments;
}

#define SCOREVI_INSTANTIATE(...) template Task<__VA_ARGS__> task_for<__VA_ARGS__>(InstructionSet);
SCOREVI_ALL_KERNELS(SCOREVI_INSTANTIATE)

}  // namespace cpu
}  // namespace scorevi::kernels
