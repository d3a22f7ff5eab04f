#include "pickle.h"

namespace scorevi::io {

std::size_t PickleGraph::size(const PickleValue& value) const {
  return value.kind == PickleKind::kTuple ? value.count : containers[value.index].size();
}

const PickleValue& PickleGraph::item(const PickleValue& value, std::size_t i) const {
  return value.kind == PickleKind::kTuple ? tuple_items[value.index + i] : containers[value.index][i];
}

const char* kind_name(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return "a bool";
    case PickleKind::kInt:
      return "an int";
    case PickleKind::kBigInt:
      return "an int beyond 64 bits";
    case PickleKind::kFloat:
      return "a float";
    case PickleKind::kText:
      return "a text";
    case PickleKind::kBytes:
      return "bytes";
    case PickleKind::kTuple:
      return "a tuple";
    case PickleKind::kList:
      return "a list";
    case PickleKind::kDict:
      return "a dictionary";
    case PickleKind::kGlobal:
      return "a global";
    case PickleKind::kDevice:
      return "a device";
    case PickleKind::kStorage:
      return "a storage";
    case PickleKind::kTensor:
      return "a tensor";
    case PickleKind::kOpaque:
      return "an object";
  }
  return "a value";
}

}  // namespace scorevi::io
