#include "pickle_machine.h"

#include <fmt/format.h>

#include <cstring>

#include "scorevi/core/numbers.h"
#include "scorevi/core/utf8.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMaxMarks = 1000;
constexpr std::size_t kMaxLineBytes = 512;  // of the names of a GLOBAL
constexpr int kNewestProtocol = 5;

[[noreturn]] void fault(std::string what) { throw PickleFault{std::move(what)}; }

}  // namespace

std::size_t PickleMachine::need(std::uint64_t count) {
  const std::size_t have = graph_.bytes.size() - next_;
  if (count > have) {
    fault(fmt::format("ends after {} more bytes, expected {}; the file is truncated or damaged", have, count));
  }
  const std::size_t from = next_;
  next_ += count;
  return from;
}

std::string_view PickleMachine::line() {
  const std::string_view rest = graph_.bytes.substr(next_, kMaxLineBytes);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) fault("a name that does not end");
  next_ += end + 1;
  return rest.substr(0, end);
}

const PickleValue& PickleMachine::top() const {
  if (stack_.size() <= floor()) fault("nothing is on the stack");
  return stack_.back();
}

PickleValue PickleMachine::pop() {
  const PickleValue value = top();
  stack_.pop_back();
  return value;
}

std::size_t PickleMachine::last(std::size_t count) const {
  if (stack_.size() - floor() < count) fault("too few values are on the stack");
  return stack_.size() - count;
}

void PickleMachine::mark() {
  if (marks_.size() >= kMaxMarks) fault(fmt::format("nested deeper than {}", kMaxMarks));
  marks_.push_back(stack_.size());
}

std::size_t PickleMachine::pop_mark() {
  if (marks_.empty()) fault("no MARK is on the stack");
  const std::size_t first = marks_.back();
  marks_.pop_back();
  return first;
}

void PickleMachine::push_integer(PickleKind kind, std::int64_t value) {
  PickleValue number;
  number.kind = kind;
  number.integer = value;
  push(number);
}

// Eight bytes, the most significant first.
void PickleMachine::push_real() {
  const std::size_t from = need(sizeof(double));
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    bits = (bits << 8) | static_cast<std::uint8_t>(graph_.bytes[from + i]);
  }
  PickleValue value;
  value.kind = PickleKind::kFloat;
  std::memcpy(&value.real, &bits, sizeof bits);
  push(value);
}

void PickleMachine::push_text(PickleKind kind, std::uint64_t count) {
  PickleValue text;
  text.kind = kind;
  text.index = need(count);
  text.count = static_cast<std::uint32_t>(count);
  push(text);
}

void PickleMachine::push_utf8(std::uint64_t count) {
  push_text(PickleKind::kText, count);
  if (!is_utf8(graph_.text(top()))) fault("text that is not UTF-8");
}

// A str of Python 2: text where it is UTF-8, bytes otherwise.
void PickleMachine::push_python2(std::uint64_t count) {
  push_text(PickleKind::kText, count);
  if (!is_utf8(graph_.text(top()))) stack_.back().kind = PickleKind::kBytes;
}

// Two's complement, the least significant byte first.
void PickleMachine::push_big_integer(std::uint64_t count) {
  push_text(PickleKind::kBigInt, count);
  if (count > sizeof(std::int64_t)) return;
  const std::string_view bytes = graph_.text(pop());
  const bool negative = !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80) != 0;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
  push_integer(PickleKind::kInt, static_cast<std::int64_t>(value));
}

// Python 2 wrote numbers above 32 bits in decimal; 00 and 01 are false and true.
void PickleMachine::push_decimal() {
  const std::string_view digits = line();
  if (digits == "00" || digits == "01") return push_integer(PickleKind::kBool, digits == "01" ? 1 : 0);
  const std::optional<std::int64_t> value = parse_int(digits);
  if (!value) fault("expected a whole number, got " + quoted(digits));
  push_integer(PickleKind::kInt, *value);
}

void PickleMachine::push_container(PickleKind kind) {
  PickleValue value;
  value.kind = kind;
  value.index = graph_.containers.size();
  graph_.containers.emplace_back();
  push(value);
}

void PickleMachine::push_tuple(std::size_t first) {
  PickleValue tuple;
  tuple.kind = PickleKind::kTuple;
  tuple.count = static_cast<std::uint32_t>(stack_.size() - first);
  tuple.index = graph_.tuple_items.size();
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
  graph_.tuple_items.insert(graph_.tuple_items.end(), begin, stack_.end());
  stack_.resize(first);
  push(tuple);
}

void PickleMachine::push_opaque(std::string_view builtin, std::size_t first) {
  stack_.resize(first);
  PickleValue value;
  value.kind = PickleKind::kOpaque;
  value.global = find_global("builtins", builtin);
  push(value);
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  const PickleGlobal* found = find_global(module, name);
  const std::string full_name = std::string(module) + "." + std::string(name);
  if (found == nullptr) {
    fault("the name " + quoted(full_name) + " is not allowed in a weight file" + refused_global_hint(module));
  }
  if (found->kind == GlobalKind::kUnsupported) fault(full_name + ": " + std::string(found->note));
  PickleValue value;
  value.kind = PickleKind::kGlobal;
  value.global = found;
  push(value);
}

void PickleMachine::get(std::uint32_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) fault(fmt::format("memo {} was never set", index));
  push(found->second);
}

void PickleMachine::put(std::uint32_t index) { memo_[index] = top(); }

void PickleMachine::extend(std::size_t first, PickleKind kind) {
  if (first <= floor()) fault("nothing is on the stack");
  const PickleValue& target = stack_[first - 1];
  if (target.kind != kind) {
    fault(std::string("items for ") + kind_name(target.kind) + ", expected " + kind_name(kind));
  }
  std::vector<PickleValue>& items = graph_.containers[target.index];
  items.insert(items.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
  stack_.resize(first);
}

void PickleMachine::set_items(std::size_t first) {
  if ((stack_.size() - first) % 2 != 0) fault("a key without a value");
  extend(first, PickleKind::kDict);
}

void PickleMachine::add_items(std::size_t first) {
  stack_.resize(first);
  if (top().kind != PickleKind::kOpaque) fault(std::string("items for ") + kind_name(top().kind) + ", expected a set");
}

void PickleMachine::proto() {
  const int version = number<std::uint8_t>();
  if (version > kNewestProtocol) fault(fmt::format("pickle protocol {}, expected 2 to {}", version, kNewestProtocol));
}

void PickleMachine::frame() {
  const auto length = number<std::uint64_t>();
  if (length > graph_.bytes.size() - next_) fault(fmt::format("a frame of {} bytes, beyond the end", length));
}

void PickleMachine::pop_any() {
  if (!marks_.empty() && stack_.size() == marks_.back()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

void PickleMachine::global() {
  const std::string_view module = line();
  push_global(module, line());
}

void PickleMachine::stack_global() {
  const PickleValue name = pop();
  const PickleValue module = pop();
  if (name.kind != PickleKind::kText || module.kind != PickleKind::kText) fault("a global whose name is no text");
  push_global(graph_.text(module), graph_.text(name));
}

void PickleMachine::reduce() {
  const PickleValue arguments = pop();
  const PickleValue callable = pop();
  if (callable.kind != PickleKind::kGlobal) fault(std::string("a call of ") + kind_name(callable.kind));
  push(call_global(graph_, *callable.global, arguments));
}

void PickleMachine::new_object_ex() {
  const PickleValue named = pop();
  if (named.kind != PickleKind::kDict || graph_.size(named) > 0) fault("a call with named arguments, refused");
  reduce();
}

// The attributes of a state_dict (_metadata) and of objects kept by name are not needed.
void PickleMachine::build() {
  pop();
  const PickleKind kind = top().kind;
  if (kind != PickleKind::kDict && kind != PickleKind::kOpaque) fault(std::string("attributes for ") + kind_name(kind));
}

void PickleMachine::stop() {
  graph_.root = pop();
  if (!stack_.empty() || !marks_.empty()) fault("values are left on the stack at the end");
  graph_.end = next_;
  stopped_ = true;
}

void PickleMachine::unknown() {
  const auto opcode = static_cast<std::uint8_t>(graph_.bytes[at_]);
  fault(fmt::format("opcode 0x{:02x} is none that weights need in pickle protocols 2 to {}", opcode, kNewestProtocol));
}

}  // namespace scorevi::io
