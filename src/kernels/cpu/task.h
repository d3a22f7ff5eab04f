// The CPU loops by instruction set. task_x86.cpp or task_portable.cpp is compiled, as the processor asks for.
#pragma once

#include <cstdint>

#include "arguments.h"
#include "cpu/instruction_set.h"

namespace scorevi::kernels::cpu {

// Visits the elements [begin, end) on the calling thread.
template <class A>
using Task = typename A::Result (*)(const A& arguments, int64_t begin, int64_t end);

template <class A>
Task<A> task_for(InstructionSet set);

InstructionSet detect_instruction_set();

}  // namespace scorevi::kernels::cpu
