#include <fmt/format.h>

#include <unordered_map>

#include "scorevi/core/error.h"
#include "scorevi/core/text.h"
#include "scorevi/core/utf8.h"
#include "torch_file.h"
#include "zip_archive.h"

namespace scorevi::io {
namespace {

constexpr std::string_view kPickle = "data.pkl";
constexpr std::uint64_t kMaxByteOrderBytes = 16;
// Pickles of state dicts deflate to a tenth; more than this is made to fill the memory.
constexpr std::uint64_t kInflatedPickleBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kInflatedPickleRatio = 100;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kData, name + ": " + what);
}

// What an archive without data.pkl is.
[[noreturn]] void refuse_other_archive(const ZipArchive& archive, const std::string& name) {
  if (archive.entries().empty()) refuse(name, "is an empty zip archive");
  for (const ZipEntry& entry : archive.entries()) {
    if (ends_with(entry.name, ".npy"))
      refuse(name, "is a NumPy .npz archive, expected weights of PyTorch or safetensors");
  }
  refuse(name, "is a zip archive without data.pkl, not a file of torch.save");
}

// The folder of the one data.pkl, with '/'.
std::string find_folder(const ZipArchive& archive, const std::string& name) {
  std::string folder;
  bool found = false;
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos || entry.name.substr(slash + 1) != kPickle) continue;
    if (found) refuse(name, "holds two data.pkl, expected one");
    folder = entry.name.substr(0, slash + 1);
    found = true;
  }
  if (!found) refuse_other_archive(archive, name);
  for (const ZipEntry& entry : archive.entries()) {
    const bool script = entry.name == folder + "constants.pkl" || entry.name.rfind(folder + "code/", 0) == 0;
    if (script)
      refuse(name, "is a TorchScript archive (torch.jit.save or LibTorch's torch::save); save the state_dict()");
  }
  return folder;
}

void check_byte_order(const ZipArchive& archive, const std::string& folder, const std::string& name) {
  const ZipEntry* entry = archive.find(folder + "byteorder");
  if (entry == nullptr) return;
  const std::string order = archive.read(*entry, kMaxByteOrderBytes);
  if (order != "little") refuse(name, "byte order " + quoted(order) + ", expected little");
}

std::string read_data_pickle(const ZipArchive& archive, const std::string& folder, const std::string& name) {
  const ZipEntry& entry = *archive.find(folder + std::string(kPickle));
  if (entry.deflated && entry.bytes > kInflatedPickleBytes + kInflatedPickleRatio * entry.packed_bytes) {
    refuse(name, fmt::format("data.pkl inflates from {} to {} bytes, refused", entry.packed_bytes, entry.bytes));
  }
  return archive.read(entry, kMaxPickleBytes);
}

// The records of an archive as storages, each opened once.
class Records {
 public:
  Records(const ZipArchive& archive, std::string folder, std::uint64_t max_bytes, const std::string& name)
      : archive_(archive), folder_(std::move(folder)), max_bytes_(max_bytes), name_(name) {}

  ByteRange find(const PickledStorage& storage) {
    const std::string record = folder_ + "data/" + std::string(storage.key);
    const ZipEntry* entry = archive_.find(record);
    if (entry == nullptr) refuse(name_, "the record " + quoted(record) + " of a storage is missing");
    std::uint64_t bytes = 0;
    const bool fits =
        !__builtin_mul_overflow(static_cast<std::uint64_t>(storage.elements), element_bytes(storage.type), &bytes);
    if (!fits || bytes != entry->bytes) {
      refuse(name_, fmt::format("the record {} has {} bytes, expected {} elements of {} bytes", quoted(record),
                                entry->bytes, storage.elements, element_bytes(storage.type)));
    }
    auto opened = opened_.find(entry);
    if (opened == opened_.end()) opened = opened_.emplace(entry, open(*entry)).first;
    return opened->second;
  }

 private:
  // Records that are inflated share one bound on memory.
  ByteRange open(const ZipEntry& entry) {
    if (!entry.deflated) return archive_.open(entry, entry.bytes);
    ByteRange range = archive_.open(entry, max_bytes_);
    max_bytes_ -= range.size;
    return range;
  }

  const ZipArchive& archive_;
  std::string folder_;
  std::uint64_t max_bytes_;
  const std::string& name_;
  std::unordered_map<const ZipEntry*, ByteRange> opened_;
};

}  // namespace

TorchFile read_torch_zip(const std::shared_ptr<const ByteSource>& source, const std::string& name) {
  const ZipArchive archive(source, name);
  const std::string folder = find_folder(archive, name);
  check_byte_order(archive, folder, name);
  const std::string pickle = read_data_pickle(archive, folder, name);
  const PickleGraph graph = run_pickle(pickle, name);
  if (graph.end != pickle.size()) refuse(name, "bytes follow the end of the pickle");
  const std::uint64_t max_bytes = max_expanded_bytes(*source);
  Records records(archive, folder, max_bytes, name);
  return list_tensors(
      graph, [&](const PickledStorage& storage) { return records.find(storage); }, max_bytes, name);
}

}  // namespace scorevi::io
