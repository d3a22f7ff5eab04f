#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "byte_source.h"
#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/io/safetensors.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::uint64_t kChunkBytes = std::uint64_t{16} << 20;

[[noreturn]] void bad_file(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::kData, path + ": " + what);
}

// What people download instead of a weight file.
const char* common_mistake(std::string_view head) {
  if (head.substr(0, 20) == "version https://git-") {
    return "is a Git LFS pointer, not the file itself; fetch it with git lfs pull";
  }
  const std::size_t text = head.find_first_not_of(" \t\r\n");
  if (text != std::string_view::npos && head[text] == '<') {
    return "is an HTML or XML page, not a safetensors file; the download went wrong";
  }
  return nullptr;
}

// The length of the header, checked against the file.
std::uint64_t header_length(const ByteSource& source, const std::string& path) {
  std::array<char, 64> head{};
  const std::uint64_t have = std::min<std::uint64_t>(source.size(), head.size());
  source.read(0, have, head.data());
  const std::string_view text(head.data(), have);
  if (const char* mistake = common_mistake(text)) bad_file(path, mistake);
  if (have < kLengthBytes) {
    bad_file(path, fmt::format("file of {} bytes, expected at least {} of safetensors", have, kLengthBytes));
  }
  std::uint64_t length = 0;
  for (std::uint64_t i = kLengthBytes; i-- > 0;) {
    length = (length << 8) | static_cast<std::uint8_t>(head[i]);
  }
  if (length > kMaxHeaderBytes) {
    bad_file(path,
             fmt::format("header of {} bytes, expected at most {}: not a safetensors file", length, kMaxHeaderBytes));
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

// Elements [first, first + count) as they are stored. A bool that is neither 0 nor 1 is refused.
void SafetensorsReader::load(const TensorInfo& tensor, std::uint64_t first, std::uint64_t count, void* out) const {
  const std::uint64_t element = c10::elementSize(tensor.dtype);
  source_->read(data_begin_ + tensor.begin + first * element, count * element, out);
  if (tensor.dtype != at::kBool) return;
  const auto* bytes = static_cast<const std::uint8_t*>(out);
  if (std::any_of(bytes, bytes + count, [](std::uint8_t value) { return value > 1; })) {
    bad_file(path_, fmt::format("tensor \"{}\": a BOOL byte is neither 0 nor 1", tensor.name));
  }
}

at::Tensor SafetensorsReader::read(const std::string& name) const {
  const TensorInfo& tensor = info(name);
  at::Tensor out = at::empty(tensor.shape, tensor.dtype);
  load(tensor, 0, static_cast<std::uint64_t>(out.numel()), out.mutable_data_ptr());
  return out;
}

void SafetensorsReader::read_into(const std::string& name, at::Tensor& destination) const {
  const TensorInfo& tensor = info(name);
  if (destination.sizes() != at::IntArrayRef(tensor.shape)) {
    bad_file(path_, fmt::format("tensor \"{}\" has shape [{}], expected [{}]", name, fmt::join(tensor.shape, ", "),
                                fmt::join(destination.sizes().vec(), ", ")));
  }
  const bool same = destination.scalar_type() == tensor.dtype;
  const bool floats = c10::isFloatingType(tensor.dtype) && destination.is_floating_point();
  if (!same && !floats) {
    bad_file(path_, fmt::format("tensor \"{}\" has dtype {}, expected {}", name, c10::toString(tensor.dtype),
                                c10::toString(destination.scalar_type())));
  }
  at::Tensor target = destination.detach();
  const auto count = static_cast<std::uint64_t>(target.numel());
  if (same && target.is_cpu() && target.is_contiguous()) {
    load(tensor, 0, count, target.mutable_data_ptr());
  } else if (target.is_contiguous()) {
    target = target.view({-1});
    const std::uint64_t step = kChunkBytes / c10::elementSize(tensor.dtype);
    at::Tensor chunk = at::empty({static_cast<std::int64_t>(std::min(step, count))}, tensor.dtype);
    for (std::uint64_t first = 0; first < count; first += step) {
      const auto part = static_cast<std::int64_t>(std::min(step, count - first));
      load(tensor, first, static_cast<std::uint64_t>(part), chunk.mutable_data_ptr());
      target.narrow(0, static_cast<std::int64_t>(first), part).copy_(chunk.narrow(0, 0, part));
    }
  } else {
    target.copy_(read(name));
  }
}

std::string SafetensorsReader::sha256(const std::string& name) const {
  const TensorInfo& tensor = info(name);
  Sha256 digest;
  std::string chunk(std::min(kChunkBytes, tensor.end - tensor.begin), '\0');
  for (std::uint64_t at = tensor.begin; at < tensor.end; at += kChunkBytes) {
    const std::uint64_t part = std::min(kChunkBytes, tensor.end - at);
    source_->read(data_begin_ + at, part, chunk.data());
    digest.update(chunk.data(), part);
  }
  return digest.hex();
}

}  // namespace scorevi::io
