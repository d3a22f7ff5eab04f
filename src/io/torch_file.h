// PyTorch's two file formats, without LibTorch: where the elements of each tensor lie. Private to io.
// Source: torch 2.11, torch/serialization.py (_save, _legacy_save) and torch/_utils.py.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "byte_source.h"
#include "element_type.h"
#include "pickle.h"

namespace scorevi::io {

struct StoredTensor {
  std::string path;
  ElementType type;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // elements, of at least 0
  std::int64_t offset;                // of the first element, elements from the begin of `storage`
  ByteRange storage;
};

struct TorchFile {
  std::vector<StoredTensor> tensors;  // in the order of the file
  // Path and text of the other leaves: 1000 of them at most, texts cut to 1000 bytes.
  std::vector<std::pair<std::string, std::string>> values;
};

// Reads a torch.save archive (since 1.6) or what LibTorch's pickle_save writes: the pickle, the directory, the CRC of
// every storage that a tensor uses; deflated storages are held in memory, stored ones stay in the file.
// Error kData: see zip_archive.h and pickle.h; TorchScript, NumPy .npz and other archives without one data.pkl;
// big-endian; records that are missing or of another size than their storage; no tensor at all.
TorchFile read_torch_zip(const std::shared_ptr<const ByteSource>& source, const std::string& name);

// Reads torch.save's format before 1.6: five pickles, then the storages one after the other.
TorchFile read_torch_legacy(const std::shared_ptr<const ByteSource>& source, const std::string& name);

// The bytes of each storage of a graph; called once for each tensor.
using FindStorage = std::function<ByteRange(const PickledStorage& storage)>;

// Lists the tensors and values below the root: paths are keys and positions joined by '/'.
// Error kData: nested deeper than 100 (or in itself), more than 4 million values where lists are shared, two tensors
// under one path, a key that is neither text nor a number, no tensor, or tensors that expand to more than
// `max_expanded_bytes` in all (stride 0, shared storages).
TorchFile list_tensors(const PickleGraph& graph, const FindStorage& find_storage, std::uint64_t max_expanded_bytes,
                       const std::string& name);

// 64 MiB and 8 times the file: what all tensors of a file may take together.
std::uint64_t max_expanded_bytes(const ByteSource& source);

// Most bytes of pickles in one file.
inline constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{64} << 20;

}  // namespace scorevi::io
