#include "scorevi/io/weight_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "byte_source.h"
#include "element_dtype.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "tensor_bytes.h"
#include "tensor_fill.h"
#include "torch_file.h"

namespace scorevi::io {
namespace {

WeightFormat format_of(const ByteSource& source, const std::string& name) {
  std::array<char, kFormatHeadBytes> head{};
  const std::uint64_t have = std::min<std::uint64_t>(source.size(), head.size());
  source.read(0, have, head.data());
  return detect_weight_format({head.data(), have}, source.size(), name);
}

}  // namespace

struct WeightFile::Contents {
  std::optional<SafetensorsReader> safetensors;  // exactly one of the two
  TorchFile torch;
  std::unordered_map<std::string, std::size_t> index;

  // What `use` makes of a tensor of a torch file.
  template <class Use>
  auto with_torch(const WeightFile& file, const std::string& tensor, Use&& use) const {
    const WeightInfo& info = file.info(tensor);
    const TensorBytes bytes(torch.tensors[index.at(tensor)]);
    const auto load = [&](std::uint64_t first, std::uint64_t count, void* out) { bytes.load(first, count, out); };
    return use(TensorInFile{file.path_, info.path, info.dtype, info.shape, load});
  }
};

WeightFile::WeightFile(std::string path, const std::shared_ptr<const ByteSource>& source)
    : path_(std::move(path)), format_(format_of(*source, path_)), contents_(std::make_unique<Contents>()) {
  if (format_ == WeightFormat::kSafetensors) {
    const SafetensorsReader& reader = contents_->safetensors.emplace(path_, source);
    for (const TensorInfo& tensor : reader.tensors()) tensors_.push_back({tensor.name, tensor.dtype, tensor.shape});
    for (const auto& [key, text] : reader.metadata()) values_.push_back({key, text});
  } else {
    TorchFile& torch = contents_->torch;
    torch = format_ == WeightFormat::kTorchZip ? read_torch_zip(source, path_) : read_torch_legacy(source, path_);
    for (const StoredTensor& tensor : torch.tensors) {
      tensors_.push_back({tensor.path, dtype_of(tensor.type), tensor.shape});
    }
    for (auto& [key, text] : torch.values) values_.push_back({std::move(key), std::move(text)});
    torch.values.clear();
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) contents_->index[tensors_[i].path] = i;
}

WeightFile::WeightFile(WeightFile&&) noexcept = default;
WeightFile& WeightFile::operator=(WeightFile&&) noexcept = default;
WeightFile::~WeightFile() = default;

WeightFile WeightFile::open(const std::string& path) { return WeightFile(path, file_source(path)); }

WeightFile WeightFile::from_bytes(std::string_view bytes, const std::string& name) {
  return WeightFile(name, memory_source(bytes));
}

bool WeightFile::contains(const std::string& tensor) const { return contents_->index.count(tensor) > 0; }

const WeightInfo& WeightFile::info(const std::string& tensor) const {
  const auto found = contents_->index.find(tensor);
  if (found != contents_->index.end()) return tensors_[found->second];
  std::vector<std::string> paths;
  for (const WeightInfo& one : tensors_) paths.push_back(one.path);
  throw Error(ErrorKind::kData,
              fmt::format("{}: no tensor \"{}\" among {}{}", path_, tensor, paths.size(), did_you_mean(tensor, paths)));
}

at::Tensor WeightFile::read(const std::string& tensor) const {
  if (contents_->safetensors) return contents_->safetensors->read(tensor);
  return contents_->with_torch(*this, tensor, new_tensor);
}

void WeightFile::read_into(const std::string& tensor, at::Tensor& destination) const {
  if (contents_->safetensors) return contents_->safetensors->read_into(tensor, destination);
  contents_->with_torch(*this, tensor, [&](const TensorInFile& stored) { fill_tensor(stored, destination); });
}

std::string WeightFile::sha256(const std::string& tensor) const {
  if (contents_->safetensors) return contents_->safetensors->sha256(tensor);
  return contents_->with_torch(*this, tensor, sha256_of_tensor);
}

}  // namespace scorevi::io
