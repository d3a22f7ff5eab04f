// From a pickle's graph to a list of tensors.
#include <fmt/format.h>

#include <unordered_set>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/utf8.h"
#include "torch_file.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxVisits = std::size_t{1} << 22;
constexpr std::size_t kMaxPathBytes = std::size_t{64} << 20;  // of all paths together
constexpr std::size_t kMaxValues = 1000;
constexpr std::size_t kMaxValueBytes = 1000;  // of a path or text; a longer text is cut
constexpr std::size_t kKeyBytesPerVisit = 16;
constexpr std::uint64_t kExpandedBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kExpandedRatio = 8;

// At most kMaxValueBytes of a UTF-8 text; cut before it is copied, because a long text may be shared by many values.
std::string_view beginning(std::string_view text) {
  if (text.size() <= kMaxValueBytes) return text;
  std::size_t cut = kMaxValueBytes;
  while ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut);
}

class Listing {
 public:
  Listing(const PickleGraph& graph, const FindStorage& find_storage, std::uint64_t max_bytes, const std::string& name)
      : graph_(graph), find_storage_(find_storage), bytes_left_(max_bytes), name_(name) {}

  TorchFile run();

 private:
  struct Frame {
    PickleValue container;
    std::size_t next;         // item
    std::size_t path_length;  // of the container
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::kData, name_ + ": " + what); }
  void visit(const PickleValue& value);
  void enter(const PickleValue& value);
  void step_into(Frame& frame);
  std::string key_text(const PickleValue& key) const;
  std::string value_text(const PickleValue& value) const;
  void add_tensor(const PickledTensor& tensor);
  void add_value(const PickleValue& value);

  const PickleGraph& graph_;
  const FindStorage& find_storage_;
  std::uint64_t bytes_left_;
  const std::string& name_;
  std::string path_;
  std::vector<Frame> frames_;
  std::size_t visits_ = 0;
  std::size_t path_bytes_ = 0;
  std::unordered_set<std::string> paths_;
  TorchFile file_;
};

TorchFile Listing::run() {
  visit(graph_.root);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    path_.resize(frame.path_length);
    if (frame.next == graph_.size(frame.container)) {
      frames_.pop_back();
    } else {
      step_into(frame);
    }
  }
  if (file_.tensors.empty()) fail("holds no tensor");
  return std::move(file_);
}

// The next item of a container; invalidates `frame`.
void Listing::step_into(Frame& frame) {
  if (frames_.size() > 1 || frame.path_length > 0) path_ += '/';
  if (frame.container.kind == PickleKind::kDict) {
    const std::string key = key_text(graph_.item(frame.container, frame.next));
    visits_ += key.size() / kKeyBytesPerVisit;
    if (!frame.keys.insert(key).second) fail("the key " + quoted(path_ + key) + " twice");
    path_ += key;
    frame.next += 2;
  } else {
    path_ += std::to_string(frame.next);
    frame.next += 1;
  }
  visit(graph_.item(frame.container, frame.next - 1));
}

void Listing::visit(const PickleValue& value) {
  if (++visits_ > kMaxVisits) fail(fmt::format("more than {} values", kMaxVisits));
  switch (value.kind) {
    case PickleKind::kTensor:
      return add_tensor(graph_.tensors[value.index]);
    case PickleKind::kTuple:
    case PickleKind::kList:
    case PickleKind::kDict:
      return enter(value);
    default:
      return add_value(value);
  }
}

void Listing::enter(const PickleValue& value) {
  if (graph_.size(value) == 0) return add_value(value);
  if (frames_.size() == kMaxDepth)
    fail(fmt::format("{}: nested deeper than {}, or in itself", quoted(path_), kMaxDepth));
  frames_.push_back({value, 0, path_.size(), {}});
}

std::string Listing::key_text(const PickleValue& key) const {
  switch (key.kind) {
    case PickleKind::kText:
      return std::string(graph_.text(key));
    case PickleKind::kInt:
    case PickleKind::kBool:
    case PickleKind::kFloat:
    case PickleKind::kNone:
      return value_text(key);
    default:
      fail(fmt::format("below {}: a key is {}, expected a text or a number", quoted(path_), kind_name(key.kind)));
  }
}

std::string Listing::value_text(const PickleValue& value) const {
  switch (value.kind) {
    case PickleKind::kText:
    case PickleKind::kDevice:
      return std::string(beginning(graph_.text(value)));
    case PickleKind::kInt:
      return std::to_string(value.integer);
    case PickleKind::kBool:
      return value.integer == 1 ? "True" : "False";
    case PickleKind::kFloat:
      return format_double(value.real);
    case PickleKind::kNone:
      return "None";
    case PickleKind::kGlobal:
    case PickleKind::kOpaque:
      return value.global->full_name();
    case PickleKind::kDict:
      return "{}";  // others are walked
    case PickleKind::kTuple:
    case PickleKind::kList:
      return "[]";
    default:
      return kind_name(value.kind);
  }
}

void Listing::add_value(const PickleValue& value) {
  if (file_.values.size() == kMaxValues || path_.size() > kMaxValueBytes) return;
  file_.values.emplace_back(path_, value_text(value));
}

void Listing::add_tensor(const PickledTensor& tensor) {
  const PickledStorage& storage = graph_.storages[tensor.storage];
  StoredTensor stored{path_, storage.type, {}, {}, tensor.offset, {}};
  std::uint64_t bytes = element_bytes(storage.type);
  for (std::size_t d = 0; d < tensor.size.count; ++d) {
    stored.shape.push_back(graph_.item(tensor.size, d).integer);
    stored.strides.push_back(graph_.item(tensor.stride, d).integer);
    bytes *= static_cast<std::uint64_t>(stored.shape.back());
  }
  const std::string label = "tensor " + quoted(path_);
  if (bytes > bytes_left_)
    fail(label + " expands far beyond what the file holds (stride 0 or shared storage), refused");
  bytes_left_ -= bytes;
  path_bytes_ += sizeof(StoredTensor) + path_.size();
  if (path_bytes_ > kMaxPathBytes) fail(fmt::format("the list of tensors takes more than {} bytes", kMaxPathBytes));
  if (!paths_.insert(path_).second) fail(label + " is there twice");
  stored.storage = find_storage_(storage);
  file_.tensors.push_back(std::move(stored));
}

}  // namespace

TorchFile list_tensors(const PickleGraph& graph, const FindStorage& find_storage, std::uint64_t max_bytes,
                       const std::string& name) {
  return Listing(graph, find_storage, max_bytes, name).run();
}

std::uint64_t max_expanded_bytes(const ByteSource& source) { return kExpandedBytes + kExpandedRatio * source.size(); }

}  // namespace scorevi::io
