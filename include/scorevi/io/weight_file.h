// Weight files of others: safetensors and both formats of torch.save, told apart by content.
// A pickle is read by a machine that can call and import nothing; names outside a fixed table end the reading.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scorevi/io/safetensors.h"
#include "scorevi/io/weight_format.h"

namespace scorevi::io {

class ByteSource;

// A tensor by its path: the keys of dictionaries and positions in lists that lead to it, joined by '/'. In a state
// dict the path is the parameter's name; the path of a tensor that is the whole file is "".
struct WeightInfo {
  std::string path;
  at::ScalarType dtype;
  std::vector<std::int64_t> shape;
};

// A leaf that is no tensor, as Python prints it: "3", "0.05", "None", "True", text without quotes, "{}" and "[]" where
// they are empty, the class's name for other objects.
struct WeightValue {
  std::string path;
  std::string text;
};

// Reads tensors one by one. Opening reads and checks everything but the elements: the directory, the pickle, sizes,
// strides and offsets, of a zip also the CRC of every record that is used (1.4 to 3 GB/s). Thread safe after
// construction. Memory: at most 256 MiB and 60 bytes for each byte of a pickle of at most 64 MiB; deflated records are
// held, together at most 64 MiB and 8 times the file. A file that shrinks meanwhile gives an Error, never a signal.
class WeightFile {
 public:
  // Error kData: no such file; no weight file (detect_weight_format); TorchScript; a pickle with a name that is not
  // allowed (a whole network, code) or more than 4 million opcodes; truncated, damaged, contradictory; tensors outside
  // their storage; complex, quantised, sparse and float8 tensors; a torch file without any tensor.
  static WeightFile open(const std::string& path);
  // `bytes` must outlive the result; `name` stands in messages.
  static WeightFile from_bytes(std::string_view bytes, const std::string& name);

  WeightFile(WeightFile&&) noexcept;
  WeightFile& operator=(WeightFile&&) noexcept;
  ~WeightFile();

  const std::string& path() const { return path_; }
  WeightFormat format() const { return format_; }
  const std::vector<WeightInfo>& tensors() const { return tensors_; }  // in the order of the file
  const std::vector<WeightValue>& values() const { return values_; }   // 1000 at most; safetensors: the metadata
  bool contains(const std::string& tensor) const;
  // Error kData where there is no such tensor, with the nearest path.
  const WeightInfo& info(const std::string& tensor) const;

  // A new contiguous CPU tensor of the stored dtype.
  at::Tensor read(const std::string& tensor) const;
  // Fills `destination`, on any device, of the same shape (Error kData otherwise). Floating-point values are converted
  // to its dtype, other dtypes must be equal. One copy where dtype and layout agree; a contiguous destination costs at
  // most 16 MiB besides itself, and the used piece of the storage where the stored tensor is not contiguous.
  void read_into(const std::string& tensor, at::Tensor& destination) const;
  // SHA-256 of the elements in row-major order, little-endian: 64 hexadecimal digits.
  std::string sha256(const std::string& tensor) const;

 private:
  struct Contents;
  WeightFile(std::string path, const std::shared_ptr<const ByteSource>& source);

  std::string path_;
  WeightFormat format_;
  std::vector<WeightInfo> tensors_;
  std::vector<WeightValue> values_;
  std::unique_ptr<Contents> contents_;
};

// Where the weights of the network are in a checkpoint.
struct WeightsLocation {
  std::string at;     // path of their dictionary, "" = the top level
  std::string strip;  // what all their names begin with and the network's own names do not: "module.", ...
  std::vector<std::pair<std::string, std::string>>
      names;  // name without `strip`, path in the file; in the file's order
};

// Looks for a dictionary of tensors below the usual keys (state_dict, model_state_dict, model, ...; also one in the
// other), else takes the top level, else the only dictionary with tensors. Names lose "module." (DataParallel),
// "_orig_mod." (torch.compile), "model." and "net." where all of them begin with it.
// Error kData, with what there is: no such dictionary.
WeightsLocation find_weights(const WeightFile& file);

// Streams a file that torch.load(weights_only=True) reads as an OrderedDict of these tensors in this order: zip, pickle
// protocol 2, every record aligned to 64 bytes, CRCs. Tensors may be on any device and have any strides; at most one of
// them is copied at a time. Tensors that share memory are written one by one.
// Preconditions: names are unique, dtypes are those of safetensors. Error kData: a name that is not UTF-8.
void stream_pth(const NamedTensors& tensors, const ByteSink& sink);

// The same into a file that is complete or untouched (core/atomic_file.h).
void write_pth(const std::string& path, const NamedTensors& tensors);

}  // namespace scorevi::io
