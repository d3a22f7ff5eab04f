// The names a pickle may refer to. Nothing of Python is ever looked up or run: a name outside this table ends the
// reading. Private to io.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "element_type.h"

namespace scorevi::io {

enum class GlobalKind : std::uint8_t {
  kDict,              // a call makes a dictionary from nothing or from a list of pairs
  kRebuildTensor,     // (storage, offset, size, stride), torch 0.3 and older
  kRebuildTensorV2,   // (storage, offset, size, stride, requires_grad, hooks[, flags])
  kRebuildParameter,  // (tensor, requires_grad, hooks[, state])
  kFirstArgument,     // LibTorch's wrappers: the value is the first argument
  kSize,              // torch.Size: the tuple that is its argument
  kDevice,            // torch.device: kept as text
  kDtype,             // a value, never called
  kStorage,           // a storage class, never called
  kOpaque,            // objects beside the weights: kept as their name alone
  kUnsupported,       // known, refused with the note
};

struct PickleGlobal {
  std::string_view module;
  std::string_view name;
  GlobalKind kind;
  ElementType type = ElementType::kFloat32;  // of kStorage
  std::string_view note = {};                // of kUnsupported

  std::string full_name() const { return std::string(module) + "." + std::string(name); }
};

// Null where the table has no such name.
const PickleGlobal* find_global(std::string_view module, std::string_view name);

// What the reader of the message can do about a name that is refused: "; ...".
std::string refused_global_hint(std::string_view module);

}  // namespace scorevi::io
