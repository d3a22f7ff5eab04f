// The safetensors format: 8 bytes little-endian header length, a JSON header, raw tensor bytes.
//   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, "__metadata__":
//   {...}}
// Files are readable from Python as they are. Source: Hugging Face, safetensors format page.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scorevi::io {

class ByteSource;
struct TensorInFile;

// One entry of a header. `begin` and `end` count bytes from the first byte after the header.
struct TensorInfo {
  std::string name;
  at::ScalarType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // in the order of the header
  std::map<std::string, std::string> metadata;
};

// Parses the JSON of a header in front of `data_bytes` bytes of tensors; `name` stands in messages.
// Error kData for anything that is not exactly the format: a name or field twice, unknown fields or
// dtypes, shapes that overflow, offsets that are out of range, overlap, leave a gap or do not match
// the shape, bytes that belong to no tensor. Dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes, const std::string& name);

// Reads tensors one by one. Opening reads the header only and checks all of it. Thread safe after
// construction. A file that shrinks meanwhile gives an Error, never a signal.
class SafetensorsReader {
 public:
  // Error kData: no such file, or not the format (see above); HTML pages and Git LFS pointers are
  // called by their names.
  static SafetensorsReader open(const std::string& path);
  // `bytes` must outlive the reader; `name` stands in messages.
  static SafetensorsReader from_bytes(std::string_view bytes, const std::string& name);
  // A file that is open already.
  SafetensorsReader(std::string path, std::shared_ptr<const ByteSource> source);

  const std::string& path() const { return path_; }
  const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const { return index_.count(name) > 0; }
  // Error kData where there is no such tensor, with the nearest name.
  const TensorInfo& info(const std::string& name) const;

  // A new contiguous CPU tensor of the stored dtype.
  at::Tensor read(const std::string& name) const;
  // Fills `destination`, on any device, of the same shape (Error kData otherwise). Floating-point
  // values are converted to its dtype, other dtypes must be equal. A contiguous destination costs
  // at most 16 MiB besides itself.
  void read_into(const std::string& name, at::Tensor& destination) const;
  // SHA-256 of the stored bytes, 64 hexadecimal digits.
  std::string sha256(const std::string& name) const;

 private:
  TensorInFile in_file(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const ByteSource> source_;
  SafetensorsHeader header_;
  std::uint64_t data_begin_ = 0;
  std::unordered_map<std::string, std::size_t> index_;
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Receives a file's bytes from the first to the last.
using ByteSink = std::function<void(const void* data, std::size_t size_bytes)>;

// Streams a file: header padded with spaces to 8 bytes, tensors in the header's order of names but
// laid out by falling element size, so that every tensor is aligned. Tensors may be on any device
// and have any strides; at most one of them, or 16 MiB of one, is copied at a time.
// Preconditions: names are unique, dtypes are of the list above. Error kData: text that is not
// UTF-8.
void stream_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata,
                        const ByteSink& sink);

// The same into a file that is complete or untouched (core/atomic_file.h).
void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace scorevi::io
