#include "scorevi/io/checkpoint.h"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>

#include "crc32.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/text.h"
#include "scorevi/io/safetensors.h"
#include "scorevi/io/weight_file.h"

namespace scorevi::io {
namespace {

constexpr const char* kFormatKey = "scorevi.format";
constexpr const char* kCountKey = "scorevi.tensors";
constexpr const char* kChecksumKey = "scorevi.crc32";
constexpr std::size_t kDigits = 8;  // of one checksum
constexpr const char* kReserved = "scorevi.";
constexpr std::int64_t kChunk = std::int64_t{1} << 20;  // elements at a time

using Metadata = std::map<std::string, std::string>;

std::string digits(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

std::string checksum(const Metadata& metadata) {
  std::uint32_t crc = 0;
  for (const auto& [key, value] : metadata) {
    if (key == kChecksumKey) continue;
    crc = crc32_of(key.c_str(), key.size() + 1, crc);
    crc = crc32_of(value.c_str(), value.size() + 1, crc);
  }
  return digits(crc);
}

[[noreturn]] void not_finite(const std::string& path, const std::string& name, std::int64_t at, double value) {
  throw Error(ErrorKind::kNumerical, fmt::format("checkpoint {}: tensor \"{}\", element {}, is {}, expected finite "
                                                 "values; not saved, the previous checkpoint is kept",
                                                 path, name, at, value));
}

// Of name and elements. Error kNumerical at the first element that is not finite. Memory: O(kChunk).
std::string checksum_of_finite(const std::string& path, const std::string& name, const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous().view({-1});
  std::uint32_t crc = crc32_of(name.data(), name.size());
  for (std::int64_t first = 0; first < flat.numel(); first += kChunk) {
    const at::Tensor part = flat.narrow(0, first, std::min(kChunk, flat.numel() - first));
    if (part.is_floating_point()) {
      const at::Tensor bad = at::isfinite(part).logical_not();
      if (bad.any().item<bool>()) {
        const auto at = bad.nonzero()[0].item<std::int64_t>();
        not_finite(path, name, first + at, part[at].item<double>());
      }
    }
    const at::Tensor bytes = part.cpu();
    crc = crc32_of(bytes.const_data_ptr(), bytes.nbytes(), crc);
  }
  return digits(crc);
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::kData,
              path + ": " + what + " not what was saved (checksum differs): the file was damaged on disk");
}

bool begins_with_one(const std::string& name, const std::vector<std::string>& prefixes) {
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(),
                                         [&](const std::string& prefix) { return begins_with(name, prefix); });
}

// visit(name, tensor) for each tensor that begins with one of the prefixes, checked.
template <class Visit>
void for_tensors(const SafetensorsReader& reader, const std::vector<std::string>& prefixes, const Visit& visit) {
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
  const auto checksums = metadata.find(kChecksumKey);
  if (checksums == metadata.end() || checksums->second.size() != kDigits * (1 + reader.tensors().size()) ||
      checksums->second.substr(0, kDigits) != checksum(metadata))
    damaged(reader.path(), "the header is");
  std::size_t place = 0;
  for (const TensorInfo& tensor : reader.tensors()) {
    place += kDigits;
    if (!begins_with_one(tensor.name, prefixes)) continue;
    const at::Tensor value = reader.read(tensor.name);
    const std::uint32_t name_crc = crc32_of(tensor.name.data(), tensor.name.size());
    if (checksums->second.substr(place, kDigits) != digits(crc32_of(value.const_data_ptr(), value.nbytes(), name_crc)))
      damaged(reader.path(), "tensor \"" + tensor.name + "\" is");
    visit(tensor.name, value);
  }
}

params::StateDict state_of(const SafetensorsReader& reader, const std::vector<std::string>& prefixes) {
  params::StateDict state;
  for_tensors(reader, prefixes,
              [&](const std::string& name, const at::Tensor& tensor) { state.tensors.emplace_back(name, tensor); });
  for (const auto& [key, value] : reader.metadata()) {
    if (key.rfind(kReserved, 0) != 0) state.metadata[key] = value;
  }
  return state;
}

}  // namespace

void save_checkpoint(const std::string& path, const params::StateDict& state) {
  Metadata metadata = state.metadata;
  for (const auto& [key, value] : state.metadata) SCOREVI_CHECK(key.rfind(kReserved, 0) != 0);
  metadata[kFormatKey] = std::to_string(kCheckpointVersion);
  metadata[kCountKey] = std::to_string(state.tensors.size());
  std::string checksums = checksum(metadata);
  for (const auto& [name, tensor] : state.tensors) checksums += checksum_of_finite(path, name, tensor);
  metadata[kChecksumKey] = checksums;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  remove_stale_temporaries(folder.empty() ? "." : folder);
  write_safetensors(path, state.tensors, metadata);
}

params::StateDict load_checkpoint(const std::string& path, const std::vector<std::string>& prefixes) {
  return state_of(SafetensorsReader::open(path), prefixes);
}

void verify_checkpoint(const std::string& path, const std::vector<std::string>& prefixes) {
  for_tensors(SafetensorsReader::open(path), prefixes, [](const std::string&, const at::Tensor&) {});
}

bool is_checkpoint(const WeightFile& file) {
  return std::any_of(file.values().begin(), file.values().end(),
                     [](const WeightValue& value) { return value.path == kFormatKey; });
}

params::StateDict parse_checkpoint(std::string_view bytes, const std::string& name) {
  return state_of(SafetensorsReader::from_bytes(bytes, name), {});
}

}  // namespace scorevi::io
