// A restricted pickle machine: it understands what torch.save and LibTorch's pickle_save write, builds plain values,
// and can neither call nor import anything. Private to io.
// Source: CPython 3.11, Lib/pickletools.py (opcodes of protocols 2 to 5); torch 2.11, torch/serialization.py.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "element_type.h"
#include "pickle_globals.h"

namespace scorevi::io {

enum class PickleKind : std::uint8_t {
  kNone,
  kBool,     // integer: 0 or 1
  kInt,      // integer
  kBigInt,   // text: the two's complement, least byte first
  kFloat,    // real
  kText,     // text, UTF-8
  kBytes,    // text
  kTuple,    // items
  kList,     // items
  kDict,     // items: key, value, key, value, ...
  kGlobal,   // global
  kDevice,   // text
  kStorage,  // index into storages
  kTensor,   // index into tensors
  kOpaque,   // global: whose object it is
};

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  std::uint32_t count = 0;  // bytes of a text, items of a tuple
  union {
    std::int64_t integer = 0;
    double real;
    std::uint64_t index;  // of the first byte of a text or of the first item of a tuple; of a list, dictionary, ...
    const PickleGlobal* global;
  };
};

// A persistent id: ("storage", class, key, location, elements[, view]).
struct PickledStorage {
  ElementType type;
  std::string_view key;
  std::int64_t elements;       // of the whole storage
  std::int64_t view_offset;    // the part that tensors see, torch 0.2 and older; else 0 ...
  std::int64_t view_elements;  // ... and `elements`
};

// Checked: as many strides as sizes, every element inside the storage, no overflow.
struct PickledTensor {
  std::uint32_t storage;
  std::int64_t offset;  // elements from the begin of the storage, view_offset included
  PickleValue size;
  PickleValue stride;
};

// Everything a pickle holds, as flat arrays: neither walking nor destroying it recurses. Memory: at most 60 bytes for
// each byte of the pickle. Lists and dictionaries may be shared and may hold themselves.
struct PickleGraph {
  std::string_view bytes;  // must outlive the graph
  std::size_t end = 0;     // first byte after STOP
  PickleValue root;
  std::vector<PickleValue> tuple_items;
  std::deque<std::vector<PickleValue>> containers;  // of lists and dictionaries
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;

  // Precondition: a value that has text, or a tuple, list or dictionary.
  std::string_view text(const PickleValue& value) const { return bytes.substr(value.index, value.count); }
  std::size_t size(const PickleValue& value) const;
  const PickleValue& item(const PickleValue& value, std::size_t i) const;
};

// "a tuple", "text", ... for messages.
const char* kind_name(PickleKind kind);

// Runs the pickle at the begin of `bytes` up to its STOP; `name` stands in messages.
// Error kData, with the byte where it happens: a name that is not in the table of pickle_globals.h, wherever it occurs
// and whatever becomes of it; opcodes outside protocols 2 to 5; a stack or memo that does not hold what an opcode
// needs; text that is not UTF-8; lengths beyond the end; arguments of the wrong type; tensors outside their storage;
// more than 4 million opcodes.
PickleGraph run_pickle(std::string_view bytes, const std::string& name);

// Thrown inside the machine; run_pickle turns it into an Error with name and place.
struct PickleFault {
  std::string what;
};

// What a call of `global` gives; new values are in `graph`. PickleFault: wrong arguments, or it cannot be called.
PickleValue call_global(PickleGraph& graph, const PickleGlobal& global, const PickleValue& arguments);

// The storage that a persistent id names. PickleFault: not an id of a storage.
PickleValue load_storage(PickleGraph& graph, const PickleValue& id);

}  // namespace scorevi::io
