#include "cpu/instruction_set.h"

#include <algorithm>
#include <atomic>

#include "cpu/task.h"

namespace scorevi::kernels::cpu {
namespace {

std::atomic<InstructionSet>& limit() {
  static std::atomic<InstructionSet> value{InstructionSet::kAvx512};
  return value;
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet kBest = detect_instruction_set();
  return std::min(kBest, limit().load(std::memory_order_relaxed));
}

void limit_instruction_set(InstructionSet set) { limit() = set; }

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kBaseline:
      break;
  }
  return "baseline";
}

}  // namespace scorevi::kernels::cpu
