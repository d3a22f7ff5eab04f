#include "cpu/task.h"

namespace scorevi::kernels {

namespace baseline {
#define SCOREVI_DECLARE(...) __VA_ARGS__::Result process_arguments(const __VA_ARGS__&, int64_t, int64_t);
SCOREVI_ALL_KERNELS(SCOREVI_DECLARE)
}  // namespace baseline

namespace cpu {

InstructionSet detect_instruction_set() { return InstructionSet::kBaseline; }

template <class A>
Task<A> task_for(InstructionSet /*set*/) {
  return baseline::process_arguments;
}

#define SCOREVI_INSTANTIATE(...) template Task<__VA_ARGS__> task_for<__VA_ARGS__>(InstructionSet);
SCOREVI_ALL_KERNELS(SCOREVI_INSTANTIATE)

}  // namespace cpu
}  // namespace scorevi::kernels
