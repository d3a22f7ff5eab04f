#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "little_endian.h"
#include "scorevi/core/error.h"
#include "scorevi/core/utf8.h"
#include "torch_file.h"

namespace scorevi::io {
namespace {

constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";  // 0x1950a86a20f9469cfc6c
constexpr std::int64_t kProtocol = 1001;

// The pickles at the begin of the file, one after the other.
class Head {
 public:
  Head(const ByteSource& source, const std::string& name) : name_(name) {
    bytes_.resize(std::min(source.size(), kMaxPickleBytes));
    source.read(0, bytes_.size(), bytes_.data());
  }

  PickleGraph next(const char* what) {
    PickleGraph graph = run_pickle(std::string_view(bytes_).substr(position_), name_ + ": " + what);
    position_ += graph.end;
    return graph;
  }
  std::uint64_t position() const { return position_; }
  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::kData, name_ + ": " + what); }

 private:
  const std::string& name_;
  std::string bytes_;
  std::uint64_t position_ = 0;
};

void check_magic(Head& head) {
  const PickleGraph magic = head.next("magic number");
  if (magic.root.kind != PickleKind::kBigInt || magic.text(magic.root) != kMagic) {
    head.fail("is a pickle, but not one of torch.save (no magic number)");
  }
  const PickleGraph protocol = head.next("protocol");
  if (protocol.root.kind != PickleKind::kInt || protocol.root.integer != kProtocol) {
    head.fail(fmt::format("the protocol of torch.save is not {}", kProtocol));
  }
}

void check_system(Head& head) {
  const PickleGraph system = head.next("system information");
  if (system.root.kind != PickleKind::kDict) head.fail("the system information is not a dictionary");
  for (std::size_t i = 0; i < system.size(system.root); i += 2) {
    const PickleValue& key = system.item(system.root, i);
    const PickleValue& value = system.item(system.root, i + 1);
    const bool endian = key.kind == PickleKind::kText && system.text(key) == "little_endian";
    if (endian && (value.kind != PickleKind::kBool || value.integer != 1)) head.fail("is big-endian, expected little");
  }
}

using Storages = std::map<std::string, ByteRange, std::less<>>;

// The raw storages after the pickles: 8 bytes with the number of elements, then the elements.
Storages find_storages(Head& head, const PickleGraph& graph, const std::shared_ptr<const ByteSource>& source) {
  std::map<std::string_view, const PickledStorage*> named;
  for (const PickledStorage& storage : graph.storages) {
    const PickledStorage& first = *named.emplace(storage.key, &storage).first->second;
    if (first.type != storage.type || first.elements != storage.elements) {
      head.fail("the storage " + quoted(storage.key) + " has two sizes or types");
    }
  }
  const PickleGraph keys = head.next("storage keys");
  if (keys.root.kind != PickleKind::kList) head.fail("the storage keys are not a list");
  Storages storages;
  std::uint64_t position = head.position();
  for (std::size_t i = 0; i < keys.size(keys.root); ++i) {
    const PickleValue& value = keys.item(keys.root, i);
    if (value.kind != PickleKind::kText) head.fail("a storage key is not a text");
    const auto found = named.find(keys.text(value));
    const std::string label = "the storage " + quoted(keys.text(value));
    if (found == named.end()) head.fail(label + " belongs to no tensor");
    const PickledStorage& storage = *found->second;
    std::string count(sizeof(std::uint64_t), '\0');
    if (source->size() - position < count.size()) head.fail(label + " is missing; the file is truncated");
    source->read(position, count.size(), count.data());
    const auto elements = load_le<std::uint64_t>(count, 0);
    if (elements != static_cast<std::uint64_t>(storage.elements)) {
      head.fail(fmt::format("{} has {} elements, expected {}", label, elements, storage.elements));
    }
    position += count.size();
    const std::uint64_t room = source->size() - position;
    if (elements > room / element_bytes(storage.type)) {
      head.fail(fmt::format("{} of {} elements reaches beyond the end; the file is truncated", label, elements));
    }
    const ByteRange range{source, position, elements * element_bytes(storage.type)};
    if (!storages.emplace(storage.key, range).second) head.fail(label + " is there twice");
    position += range.size;
  }
  return storages;
}

}  // namespace

TorchFile read_torch_legacy(const std::shared_ptr<const ByteSource>& source, const std::string& name) {
  Head head(*source, name);
  check_magic(head);
  check_system(head);
  const PickleGraph graph = head.next("object");
  const Storages storages = find_storages(head, graph, source);
  const auto find_storage = [&](const PickledStorage& storage) {
    const auto found = storages.find(storage.key);
    if (found == storages.end()) head.fail("the storage " + quoted(storage.key) + " has no elements in the file");
    return found->second;
  };
  return list_tensors(graph, find_storage, max_expanded_bytes(*source), name);
}

}  // namespace scorevi::io
