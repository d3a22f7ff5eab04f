// The state of a pickle run: input, stack, memo, and what opcodes do to them. Private to io, used by run_pickle alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "little_endian.h"
#include "pickle.h"

namespace scorevi::io {

// Every member may throw PickleFault.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) { graph_.bytes = bytes; }

  // Runs up to STOP.
  void run();
  std::size_t at() const { return at_; }  // byte of the last opcode
  PickleGraph take() { return std::move(graph_); }

 private:
  using Step = void (*)(PickleMachine&);
  using Steps = std::array<Step, 256>;
  static void add_value_steps(Steps& steps);
  static void add_structure_steps(Steps& steps);
  static Steps all_steps();

  // The input. need() takes the next bytes and gives their position.
  std::size_t need(std::uint64_t count);
  std::string_view line();
  template <class T>
  T number() {
    return load_le<T>(graph_.bytes, need(sizeof(T)));
  }

  // The stack. What lies below the last MARK cannot be reached.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  void push(const PickleValue& value) { stack_.push_back(value); }
  const PickleValue& top() const;
  PickleValue pop();
  std::size_t last(std::size_t count) const;  // position of the `count` topmost values
  void mark();
  std::size_t pop_mark();  // position of the values above the mark

  // Values.
  void push_integer(PickleKind kind, std::int64_t value);
  void push_real();
  void push_text(PickleKind kind, std::uint64_t count);
  void push_utf8(std::uint64_t count);
  void push_python2(std::uint64_t count);
  void push_big_integer(std::uint64_t count);
  void push_decimal();
  void push_container(PickleKind kind);
  void push_tuple(std::size_t first);
  void push_opaque(std::string_view builtin, std::size_t first);
  void push_global(std::string_view module, std::string_view name);
  void get(std::uint32_t index);
  void put(std::uint32_t index);

  // Structure. Values from `first` on are moved from the stack into what lies below them.
  void extend(std::size_t first, PickleKind kind);
  void set_items(std::size_t first);
  void add_items(std::size_t first);
  void proto();
  void frame();
  void pop_any();
  void global();
  void stack_global();
  void reduce();
  void new_object_ex();
  void build();
  void stop();
  void unknown();

  PickleGraph graph_;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleValue> memo_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace scorevi::io
