#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pickle.h"
#include "scorevi/core/utf8.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMaxRank = 32;
constexpr std::size_t kMaxKeyBytes = 1000;

[[noreturn]] void fault(std::string what) { throw PickleFault{std::move(what)}; }

// The arguments of a call, by position.
class Arguments {
 public:
  Arguments(const PickleGraph& graph, std::string owner, const PickleValue& tuple, std::size_t least, std::size_t most)
      : graph_(graph), owner_(std::move(owner)), tuple_(tuple) {
    if (tuple.kind != PickleKind::kTuple) {
      fault(fmt::format("{}: got {}, expected a tuple", owner_, kind_name(tuple.kind)));
    }
    if (tuple.count < least || tuple.count > most) {
      fault(fmt::format("{}: {} arguments, expected {} to {}", owner_, tuple.count, least, most));
    }
  }

  std::size_t size() const { return tuple_.count; }
  const PickleValue& any(std::size_t i) const { return graph_.item(tuple_, i); }
  const PickleValue& of(std::size_t i, PickleKind kind) const {
    const PickleValue& value = any(i);
    if (value.kind != kind) {
      fault(fmt::format("{}: argument {} is {}, expected {}", owner_, i + 1, kind_name(value.kind), kind_name(kind)));
    }
    return value;
  }
  std::int64_t count(std::size_t i) const {
    const std::int64_t value = of(i, PickleKind::kInt).integer;
    if (value < 0) fault(fmt::format("{}: argument {} is {}, expected at least 0", owner_, i + 1, value));
    return value;
  }
  // A tuple of whole numbers of at least 0.
  const PickleValue& counts(std::size_t i) const {
    const PickleValue& tuple = of(i, PickleKind::kTuple);
    for (std::size_t d = 0; d < tuple.count; ++d) {
      const PickleValue& value = graph_.item(tuple, d);
      if (value.kind != PickleKind::kInt) {
        fault(fmt::format("{}: argument {} holds {}, expected an int", owner_, i + 1, kind_name(value.kind)));
      }
      if (value.integer < 0) fault(fmt::format("{}: argument {} holds {}", owner_, i + 1, value.integer));
    }
    return tuple;
  }
  [[noreturn]] void fail(const std::string& what) const { fault(owner_ + ": " + what); }

 private:
  const PickleGraph& graph_;
  std::string owner_;
  const PickleValue& tuple_;
};

// Sizes of 0 count as 1 where overflow is concerned: strides of new tensors are computed from all sizes.
bool numel_fits(const PickleGraph& graph, const PickleValue& size, std::size_t element, bool& empty) {
  auto bytes = static_cast<std::int64_t>(element);
  for (std::size_t d = 0; d < size.count; ++d) {
    const std::int64_t n = graph.item(size, d).integer;
    empty = empty || n == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(n, 1), &bytes)) return false;
  }
  return true;
}

// The last element lies inside `elements`; strides of dimensions of size 1 are never used.
bool inside(const PickleGraph& graph, const PickledTensor& tensor, std::int64_t elements) {
  std::int64_t last = tensor.offset;
  for (std::size_t d = 0; d < tensor.size.count; ++d) {
    const std::int64_t n = graph.item(tensor.size, d).integer;
    std::int64_t way = 0;
    if (n == 1) continue;
    if (__builtin_mul_overflow(n - 1, graph.item(tensor.stride, d).integer, &way)) return false;
    if (__builtin_add_overflow(last, way, &last)) return false;
  }
  return last < elements;
}

PickleValue make_tensor(PickleGraph& graph, const Arguments& arguments) {
  const PickleValue& storage_value = arguments.of(0, PickleKind::kStorage);
  const PickledStorage& storage = graph.storages[storage_value.index];
  PickledTensor tensor{static_cast<std::uint32_t>(storage_value.index), arguments.count(1), arguments.counts(2),
                       arguments.counts(3)};
  if (tensor.size.count != tensor.stride.count) {
    arguments.fail(fmt::format("{} sizes and {} strides", tensor.size.count, tensor.stride.count));
  }
  if (tensor.size.count > kMaxRank) arguments.fail(fmt::format("more than {} dimensions", kMaxRank));
  bool empty = false;
  if (!numel_fits(graph, tensor.size, element_bytes(storage.type), empty)) arguments.fail("the size is too large");
  if (empty) {
    tensor.offset = 0;
  } else if (!inside(graph, tensor, storage.view_elements)) {
    arguments.fail(fmt::format("reaches beyond the {} elements of its storage", storage.view_elements));
  }
  tensor.offset += storage.view_offset;
  PickleValue value;
  value.kind = PickleKind::kTensor;
  value.index = graph.tensors.size();
  graph.tensors.push_back(tensor);
  return value;
}

PickleValue rebuild_tensor_v2(PickleGraph& graph, const Arguments& arguments) {
  arguments.of(4, PickleKind::kBool);
  const PickleKind hooks = arguments.any(5).kind;
  if (hooks != PickleKind::kDict && hooks != PickleKind::kNone) arguments.of(5, PickleKind::kDict);
  if (arguments.size() > 6 && graph.size(arguments.of(6, PickleKind::kDict)) > 0) {
    arguments.fail("conjugate and negated views are not supported");
  }
  return make_tensor(graph, arguments);
}

// From nothing, or from a list of pairs (Python 2).
PickleValue make_dict(PickleGraph& graph, const Arguments& arguments) {
  std::vector<PickleValue> items;
  if (arguments.size() == 1) {
    const PickleValue& pairs = arguments.of(0, PickleKind::kList);
    for (std::size_t i = 0; i < graph.size(pairs); ++i) {
      const PickleValue& pair = graph.item(pairs, i);
      const bool sequence = pair.kind == PickleKind::kList || pair.kind == PickleKind::kTuple;
      if (!sequence || graph.size(pair) != 2) arguments.fail("expected a list of pairs");
      items.push_back(graph.item(pair, 0));
      items.push_back(graph.item(pair, 1));
    }
  }
  PickleValue value;
  value.kind = PickleKind::kDict;
  value.index = graph.containers.size();
  graph.containers.push_back(std::move(items));
  return value;
}

}  // namespace

PickleValue call_global(PickleGraph& graph, const PickleGlobal& global, const PickleValue& tuple) {
  const auto arguments = [&](std::size_t least, std::size_t most) {
    return Arguments(graph, global.full_name(), tuple, least, most);
  };
  switch (global.kind) {
    case GlobalKind::kDict:
      return make_dict(graph, arguments(0, 1));
    case GlobalKind::kRebuildTensor:
      return make_tensor(graph, arguments(4, 4));
    case GlobalKind::kRebuildTensorV2:
      return rebuild_tensor_v2(graph, arguments(6, 7));
    case GlobalKind::kRebuildParameter:
      return arguments(3, 4).of(0, PickleKind::kTensor);
    case GlobalKind::kFirstArgument:
      return arguments(1, 2).any(0);
    case GlobalKind::kSize:
      return arguments(1, 1).counts(0);
    case GlobalKind::kDevice: {
      PickleValue device = arguments(1, 2).of(0, PickleKind::kText);
      device.kind = PickleKind::kDevice;
      return device;
    }
    case GlobalKind::kOpaque: {
      arguments(0, std::numeric_limits<std::size_t>::max());
      PickleValue object;
      object.kind = PickleKind::kOpaque;
      object.global = &global;
      return object;
    }
    case GlobalKind::kDtype:
    case GlobalKind::kStorage:
    case GlobalKind::kUnsupported:
      break;
  }
  fault(global.full_name() + " cannot be called in a weight file");
}

PickleValue load_storage(PickleGraph& graph, const PickleValue& id) {
  const Arguments parts(graph, "persistent id", id, 2, 6);
  const std::string_view sort = graph.text(parts.of(0, PickleKind::kText));
  if (sort == "module") parts.fail("a whole network was pickled; save its state_dict() instead");
  if (sort != "storage") parts.fail("of kind " + quoted(sort) + ", expected \"storage\"");
  if (parts.size() < 5) parts.fail(fmt::format("{} parts, expected 5", parts.size()));
  const PickleGlobal& type = *parts.of(1, PickleKind::kGlobal).global;
  if (type.kind != GlobalKind::kStorage) parts.fail(type.full_name() + " is no storage class");
  const std::string_view key = graph.text(parts.of(2, PickleKind::kText));
  if (key.size() > kMaxKeyBytes) parts.fail(fmt::format("a key of {} bytes", key.size()));
  parts.of(3, PickleKind::kText);
  PickledStorage storage{type.type, key, parts.count(4), 0, 0};
  storage.view_elements = storage.elements;
  if (parts.size() == 6 && parts.any(5).kind != PickleKind::kNone) {
    const Arguments view(graph, "storage view", parts.any(5), 3, 3);
    storage.view_offset = view.count(1);
    storage.view_elements = view.count(2);
    if (storage.view_offset > storage.elements || storage.view_elements > storage.elements - storage.view_offset) {
      view.fail(fmt::format("beyond the {} elements of its storage", storage.elements));
    }
  }
  PickleValue value;
  value.kind = PickleKind::kStorage;
  value.index = graph.storages.size();
  graph.storages.push_back(storage);
  return value;
}

}  // namespace scorevi::io
