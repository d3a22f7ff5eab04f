#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "element_dtype.h"
#include "little_endian.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/io/safetensors.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::int64_t kChunkBytes = std::int64_t{16} << 20;

std::string dtype_name(const std::string& tensor, at::ScalarType dtype) {
  for (const ElementDtype& row : kElementDtypes) {
    if (row.dtype == dtype) return std::string(row.safetensors);
  }
  throw Error(ErrorKind::kData, fmt::format("safetensors: tensor \"{}\" has dtype {}, which cannot "
                                            "be stored",
                                            tensor, c10::toString(dtype)));
}

// Positions of the tensors by falling element size; equal ones keep their order.
std::vector<std::size_t> data_order(const NamedTensors& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensors[a].second.element_size() > tensors[b].second.element_size();
  });
  return order;
}

std::string header_text(const NamedTensors& tensors, const std::vector<std::size_t>& order,
                        const std::map<std::string, std::string>& metadata) {
  std::vector<std::int64_t> begin(tensors.size());
  std::int64_t position = 0;
  for (const std::size_t i : order) {
    begin[i] = position;
    position += tensors[i].second.numel() * static_cast<std::int64_t>(tensors[i].second.element_size());
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::set<std::string> names;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    SCOREVI_CHECK(tensor.defined() && name != "__metadata__");
    SCOREVI_CHECK(names.insert(name).second);
    const std::int64_t bytes = tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
    header[name] = {{"dtype", dtype_name(name, tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {begin[i], begin[i] + bytes}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kData, "safetensors: a tensor name or metadata text is not UTF-8");
  }
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

void stream_tensor(const at::Tensor& tensor, const ByteSink& sink) {
  const at::Tensor flat = tensor.detach().contiguous().view({-1});
  const auto element = static_cast<std::int64_t>(flat.element_size());
  if (flat.is_cpu()) {
    sink(flat.const_data_ptr(), static_cast<std::size_t>(flat.numel() * element));
    return;
  }
  const std::int64_t step = kChunkBytes / element;
  for (std::int64_t first = 0; first < flat.numel(); first += step) {
    const at::Tensor chunk = flat.narrow(0, first, std::min(step, flat.numel() - first)).cpu();
    sink(chunk.const_data_ptr(), static_cast<std::size_t>(chunk.numel() * element));
  }
}

}  // namespace

void stream_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata,
                        const ByteSink& sink) {
  const std::vector<std::size_t> order = data_order(tensors);
  const std::string header = header_text(tensors, order, metadata);
  std::string length;
  append_le(length, static_cast<std::uint64_t>(header.size()));
  sink(length.data(), length.size());
  sink(header.data(), header.size());
  for (const std::size_t i : order) stream_tensor(tensors[i].second, sink);
}

void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata) {
  AtomicFile file(path);
  stream_safetensors(tensors, metadata, [&](const void* data, std::size_t size) { file.write(data, size); });
  file.commit();
}

}  // namespace scorevi::io
