#include "scorevi/io/checkpoint.h"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/io/safetensors.h"

namespace scorevi::io {
namespace {

constexpr const char* kFormatKey = "scorevi.format";
constexpr const char* kCountKey = "scorevi.tensors";
constexpr const char* kReserved = "scorevi.";
constexpr std::int64_t kChunk = std::int64_t{1} << 20;  // elements checked at a time

// The first element that is not finite, -1 where there is none. Memory: O(kChunk).
std::int64_t first_non_finite(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous().view({-1});
  for (std::int64_t first = 0; first < flat.numel(); first += kChunk) {
    const at::Tensor bad = at::isfinite(flat.narrow(0, first, std::min(kChunk, flat.numel() - first))).logical_not();
    if (bad.any().item<bool>()) return first + bad.nonzero()[0].item<std::int64_t>();
  }
  return -1;
}

void check_finite(const std::string& path, const params::StateDict& state) {
  for (const auto& [name, tensor] : state.tensors) {
    if (!tensor.is_floating_point()) continue;
    const std::int64_t at = first_non_finite(tensor);
    if (at < 0) continue;
    const double value = tensor.detach().reshape({-1})[at].item<double>();
    throw Error(ErrorKind::kNumerical, fmt::format("checkpoint {}: tensor \"{}\", element {}, is {}, expected finite "
                                                   "values; not saved, the previous checkpoint is kept",
                                                   path, name, at, value));
  }
}

bool begins_with_one(const std::string& name, const std::vector<std::string>& prefixes) {
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(),
                                         [&](const std::string& prefix) { return name.rfind(prefix, 0) == 0; });
}

params::StateDict state_of(const SafetensorsReader& reader, const std::vector<std::string>& prefixes) {
  const auto& metadata = reader.metadata();
  const auto format = metadata.find(kFormatKey);
  if (format == metadata.end()) {
    throw Error(ErrorKind::kData, reader.path() +
                                      ": is a safetensors file but no scorevi "
                                      "checkpoint: metadata \"scorevi.format\" is "
                                      "missing");
  }
  if (format->second != std::to_string(kCheckpointVersion)) {
    throw Error(ErrorKind::kData, fmt::format("{}: checkpoint format {}, expected {}; it was made "
                                              "by another version of scorevi",
                                              reader.path(), format->second, kCheckpointVersion));
  }
  const auto count = metadata.find(kCountKey);
  const std::string found = std::to_string(reader.tensors().size());
  if (count == metadata.end() || count->second != found) {
    throw Error(ErrorKind::kData, fmt::format("{}: {} tensors, expected {}; the file is damaged", reader.path(), found,
                                              count == metadata.end() ? "a count" : count->second));
  }
  params::StateDict state;
  for (const TensorInfo& tensor : reader.tensors()) {
    if (begins_with_one(tensor.name, prefixes)) state.tensors.emplace_back(tensor.name, reader.read(tensor.name));
  }
  for (const auto& [key, value] : metadata) {
    if (key.rfind(kReserved, 0) != 0) state.metadata[key] = value;
  }
  return state;
}

}  // namespace

void save_checkpoint(const std::string& path, const params::StateDict& state) {
  check_finite(path, state);
  std::map<std::string, std::string> metadata = state.metadata;
  for (const auto& [key, value] : state.metadata) SCOREVI_CHECK(key.rfind(kReserved, 0) != 0);
  metadata[kFormatKey] = std::to_string(kCheckpointVersion);
  metadata[kCountKey] = std::to_string(state.tensors.size());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  remove_stale_temporaries(folder.empty() ? "." : folder);
  write_safetensors(path, state.tensors, metadata);
}

params::StateDict load_checkpoint(const std::string& path, const std::vector<std::string>& prefixes) {
  return state_of(SafetensorsReader::open(path), prefixes);
}

params::StateDict parse_checkpoint(std::string_view bytes, const std::string& name) {
  return state_of(SafetensorsReader::from_bytes(bytes, name), {});
}

}  // namespace scorevi::io
