// Which byte is which opcode, and the loop over them.
#include <fmt/format.h>

#include "pickle_machine.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMaxOpcodes = std::size_t{1} << 22;

using Machine = PickleMachine;

}  // namespace

void PickleMachine::add_value_steps(Steps& steps) {
  steps['N'] = [](Machine& m) { m.push({}); };
  steps[0x88] = [](Machine& m) { m.push_integer(PickleKind::kBool, 1); };
  steps[0x89] = [](Machine& m) { m.push_integer(PickleKind::kBool, 0); };
  steps['K'] = [](Machine& m) { m.push_integer(PickleKind::kInt, m.number<std::uint8_t>()); };
  steps['M'] = [](Machine& m) { m.push_integer(PickleKind::kInt, m.number<std::uint16_t>()); };
  steps['J'] = [](Machine& m) { m.push_integer(PickleKind::kInt, m.number<std::int32_t>()); };
  steps['I'] = [](Machine& m) { m.push_decimal(); };
  steps[0x8A] = [](Machine& m) { m.push_big_integer(m.number<std::uint8_t>()); };
  steps[0x8B] = [](Machine& m) { m.push_big_integer(m.number<std::uint32_t>()); };
  steps['G'] = [](Machine& m) { m.push_real(); };

  steps[0x8C] = [](Machine& m) { m.push_utf8(m.number<std::uint8_t>()); };
  steps['X'] = [](Machine& m) { m.push_utf8(m.number<std::uint32_t>()); };
  steps[0x8D] = [](Machine& m) { m.push_utf8(m.number<std::uint64_t>()); };
  steps['U'] = [](Machine& m) { m.push_python2(m.number<std::uint8_t>()); };
  steps['T'] = [](Machine& m) { m.push_python2(m.number<std::uint32_t>()); };
  steps['C'] = [](Machine& m) { m.push_text(PickleKind::kBytes, m.number<std::uint8_t>()); };
  steps['B'] = [](Machine& m) { m.push_text(PickleKind::kBytes, m.number<std::uint32_t>()); };
  steps[0x8E] = [](Machine& m) { m.push_text(PickleKind::kBytes, m.number<std::uint64_t>()); };
  steps[0x96] = [](Machine& m) { m.push_text(PickleKind::kBytes, m.number<std::uint64_t>()); };

  steps[']'] = [](Machine& m) { m.push_container(PickleKind::kList); };
  steps['}'] = [](Machine& m) { m.push_container(PickleKind::kDict); };
  steps[0x8F] = [](Machine& m) { m.push_opaque("set", m.last(0)); };
  steps[0x91] = [](Machine& m) { m.push_opaque("frozenset", m.pop_mark()); };
  steps[')'] = [](Machine& m) { m.push_tuple(m.last(0)); };
  steps[0x85] = [](Machine& m) { m.push_tuple(m.last(1)); };
  steps[0x86] = [](Machine& m) { m.push_tuple(m.last(2)); };
  steps[0x87] = [](Machine& m) { m.push_tuple(m.last(3)); };
  steps['t'] = [](Machine& m) { m.push_tuple(m.pop_mark()); };
}

void PickleMachine::add_structure_steps(Steps& steps) {
  steps[0x80] = [](Machine& m) { m.proto(); };
  steps[0x95] = [](Machine& m) { m.frame(); };
  steps['('] = [](Machine& m) { m.mark(); };
  steps['0'] = [](Machine& m) { m.pop_any(); };
  steps['1'] = [](Machine& m) { m.stack_.resize(m.pop_mark()); };
  steps['2'] = [](Machine& m) { m.push(PickleValue(m.top())); };
  steps['.'] = [](Machine& m) { m.stop(); };

  steps['a'] = [](Machine& m) { m.extend(m.last(1), PickleKind::kList); };
  steps['e'] = [](Machine& m) { m.extend(m.pop_mark(), PickleKind::kList); };
  steps['s'] = [](Machine& m) { m.set_items(m.last(2)); };
  steps['u'] = [](Machine& m) { m.set_items(m.pop_mark()); };
  steps[0x90] = [](Machine& m) { m.add_items(m.pop_mark()); };

  steps['h'] = [](Machine& m) { m.get(m.number<std::uint8_t>()); };
  steps['j'] = [](Machine& m) { m.get(m.number<std::uint32_t>()); };
  steps['q'] = [](Machine& m) { m.put(m.number<std::uint8_t>()); };
  steps['r'] = [](Machine& m) { m.put(m.number<std::uint32_t>()); };
  steps[0x94] = [](Machine& m) { m.put(static_cast<std::uint32_t>(m.memo_.size())); };

  steps['c'] = [](Machine& m) { m.global(); };
  steps[0x93] = [](Machine& m) { m.stack_global(); };
  steps['R'] = [](Machine& m) { m.reduce(); };
  steps[0x81] = [](Machine& m) { m.reduce(); };
  steps[0x92] = [](Machine& m) { m.new_object_ex(); };
  steps['b'] = [](Machine& m) { m.build(); };
  steps['Q'] = [](Machine& m) { m.push(load_storage(m.graph_, m.pop())); };
  // INST names its class as GLOBAL does: the message shall tell the name that is refused.
  steps['i'] = [](Machine& m) {
    m.global();
    m.unknown();
  };
}

PickleMachine::Steps PickleMachine::all_steps() {
  Steps steps;
  steps.fill([](Machine& m) { m.unknown(); });
  add_value_steps(steps);
  add_structure_steps(steps);
  return steps;
}

void PickleMachine::run() {
  static const Steps kSteps = all_steps();
  for (std::size_t opcodes = 0; !stopped_; ++opcodes) {
    at_ = next_;
    if (opcodes == kMaxOpcodes) throw PickleFault{fmt::format("more than {} opcodes", kMaxOpcodes)};
    kSteps[number<std::uint8_t>()](*this);
  }
}

PickleGraph run_pickle(std::string_view bytes, const std::string& name) {
  PickleMachine machine(bytes);
  try {
    machine.run();
  } catch (const PickleFault& fault) {
    throw Error(ErrorKind::kData, fmt::format("{}: pickle, byte {}: {}", name, machine.at(), fault.what));
  }
  return machine.take();
}

}  // namespace scorevi::io
