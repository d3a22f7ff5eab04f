// Weight files told apart by their content, never by their name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scorevi::io {

enum class WeightFormat {
  kSafetensors,
  kTorchZip,     // torch.save since 1.6, and LibTorch's pickle_save
  kTorchLegacy,  // torch.save before 1.6
};

// "safetensors", "torch zip", "torch legacy".
const char* format_name(WeightFormat format);

// The safetensors format's own limit on its header.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

// The first bytes of a file that detect_weight_format looks at.
inline constexpr std::size_t kFormatHeadBytes = 512;

// The format of a file of `size` bytes that begins with `head`. Error kData, with the format's name where it is known,
// for anything else: an empty file, HTML, a Git LFS pointer, tar (torch of 2016), gzip, HDF5, NumPy, text.
// `name` stands in messages; where it ends in .safetensors, a file of no known format is taken for a damaged one.
WeightFormat detect_weight_format(std::string_view head, std::uint64_t size, const std::string& name);

// What people download instead of a file (an HTML page, a Git LFS pointer), by its first bytes; null for all else.
const char* download_mistake(std::string_view head);

}  // namespace scorevi::io
