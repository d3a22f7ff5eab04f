#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "byte_source.h"
#include "little_endian.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/io/safetensors.h"
#include "scorevi/io/weight_format.h"
#include "tensor_fill.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

[[noreturn]] void bad_file(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::kData, path + ": " + what);
}

// The length of the header, checked against the file.
std::uint64_t header_length(const ByteSource& source, const std::string& path) {
  std::array<char, 64> head{};
  const std::uint64_t have = std::min<std::uint64_t>(source.size(), head.size());
  source.read(0, have, head.data());
  const std::string_view text(head.data(), have);
  if (const char* mistake = download_mistake(text)) bad_file(path, mistake);
  if (have < kLengthBytes) {
    bad_file(path, fmt::format("file of {} bytes, expected at least {} of safetensors", have, kLengthBytes));
  }
  const auto length = load_le<std::uint64_t>(text, 0);
  if (length > kMaxSafetensorsHeaderBytes) {
    bad_file(path, fmt::format("header of {} bytes, expected at most {}: not a safetensors file", length,
                               kMaxSafetensorsHeaderBytes));
  }
  if (length > source.size() - kLengthBytes) {
    bad_file(path,
             fmt::format("header of {} bytes in a file of {}: truncated, or not safetensors", length, source.size()));
  }
  return length;
}

}  // namespace

SafetensorsReader::SafetensorsReader(std::string path, std::shared_ptr<const ByteSource> source)
    : path_(std::move(path)), source_(std::move(source)) {
  const std::uint64_t length = header_length(*source_, path_);
  data_begin_ = kLengthBytes + length;
  std::string json(length, '\0');
  source_->read(kLengthBytes, length, json.data());
  header_ = parse_safetensors_header(json, source_->size() - data_begin_, path_);
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) index_[header_.tensors[i].name] = i;
}

SafetensorsReader SafetensorsReader::open(const std::string& path) {
  return SafetensorsReader(path, file_source(path));
}

SafetensorsReader SafetensorsReader::from_bytes(std::string_view bytes, const std::string& name) {
  return SafetensorsReader(name, memory_source(bytes));
}

std::vector<std::string> SafetensorsReader::names() const {
  std::vector<std::string> result;
  for (const TensorInfo& tensor : header_.tensors) result.push_back(tensor.name);
  return result;
}

const TensorInfo& SafetensorsReader::info(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) {
    bad_file(path_,
             fmt::format("no tensor \"{}\" among {}{}", name, header_.tensors.size(), did_you_mean(name, names())));
  }
  return header_.tensors[found->second];
}

TensorInFile SafetensorsReader::in_file(const std::string& name) const {
  const TensorInfo& tensor = info(name);
  const std::uint64_t begin = data_begin_ + tensor.begin;
  const std::uint64_t element = c10::elementSize(tensor.dtype);
  const auto load = [this, begin, element](std::uint64_t first, std::uint64_t count, void* out) {
    source_->read(begin + first * element, count * element, out);
  };
  return {path_, tensor.name, tensor.dtype, tensor.shape, load};
}

at::Tensor SafetensorsReader::read(const std::string& name) const { return new_tensor(in_file(name)); }

void SafetensorsReader::read_into(const std::string& name, at::Tensor& destination) const {
  fill_tensor(in_file(name), destination);
}

std::string SafetensorsReader::sha256(const std::string& name) const { return sha256_of_tensor(in_file(name)); }

}  // namespace scorevi::io
