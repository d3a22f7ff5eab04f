// Which copy of the CPU loops runs.
#pragma once

namespace scorevi::kernels::cpu {

enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

// The best that this machine has and limit_instruction_set allows.
InstructionSet instruction_set();

// For tests: no better one than `limit` is used from now on.
void limit_instruction_set(InstructionSet limit);

const char* name_of(InstructionSet set);

}  // namespace scorevi::kernels::cpu
