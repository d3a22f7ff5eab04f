#include "scorevi/io/weight_format.h"

#include <array>

#include "little_endian.h"
#include "scorevi/core/error.h"
#include "scorevi/core/text.h"

namespace scorevi::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSafetensorsLength = 8;

// What begins with these bytes at this position is something else.
struct OtherFormat {
  std::size_t position;
  std::string_view bytes;
  const char* what;
};
constexpr std::array<OtherFormat, 5> kOtherFormats = {{
    {257, "ustar"sv, "is a tar archive, the format of PyTorch before 0.2; load and save it again in a newer PyTorch"},
    {0, "\x1f\x8b"sv, "is gzip data; unpack it with gunzip"},
    {0, "\x89HDF\r\n"sv, "is an HDF5 file (Keras); convert it to safetensors"},
    {0, "\x93NUMPY"sv, "is a NumPy .npy array, expected named tensors of PyTorch or safetensors"},
    {0, "\0\0\0\0\0\0\0\0"sv, "begins with zeros; the download or the copy is damaged"},
}};

// A length that fits, then a JSON object.
bool is_safetensors(std::string_view head, std::uint64_t size) {
  if (head.size() <= kSafetensorsLength || head[kSafetensorsLength] != '{') return false;
  const auto length = load_le<std::uint64_t>(head, 0);
  return length <= kMaxSafetensorsHeaderBytes && length <= size - kSafetensorsLength;
}

// PROTO with a protocol that torch.save may have used.
bool is_pickle(std::string_view head) { return head.size() >= 2 && head[0] == '\x80' && head[1] >= 1 && head[1] <= 5; }

}  // namespace

const char* format_name(WeightFormat format) {
  switch (format) {
    case WeightFormat::kSafetensors:
      return "safetensors";
    case WeightFormat::kTorchZip:
      return "torch zip";
    case WeightFormat::kTorchLegacy:
      return "torch legacy";
  }
  return "";
}

const char* download_mistake(std::string_view head) {
  if (begins_with(head, "version https://git-")) {
    return "is a Git LFS pointer, not the file itself; fetch it with git lfs pull";
  }
  const std::size_t text = head.find_first_not_of(" \t\r\n");
  if (text != std::string_view::npos && head[text] == '<') {
    return "is an HTML page or other XML, not the file itself; the download went wrong";
  }
  return nullptr;
}

WeightFormat detect_weight_format(std::string_view head, std::uint64_t size, const std::string& name) {
  const auto refuse = [&](const std::string& what) -> Error { return {ErrorKind::kData, name + ": " + what}; };
  // First: the length of a header may look like the first bytes of a pickle.
  if (is_safetensors(head, size)) return WeightFormat::kSafetensors;
  if (begins_with(head, "PK\x03\x04") || begins_with(head, "PK\x05\x06")) return WeightFormat::kTorchZip;
  if (is_pickle(head)) return WeightFormat::kTorchLegacy;
  if (const char* mistake = download_mistake(head)) throw refuse(mistake);
  if (ends_with(name, ".safetensors")) return WeightFormat::kSafetensors;
  if (size == 0) throw refuse("the file is empty");
  for (const OtherFormat& other : kOtherFormats) {
    if (head.size() >= other.position && begins_with(head.substr(other.position), other.bytes)) {
      throw refuse(other.what);
    }
  }
  throw refuse("is no weight file, expected safetensors or a file of torch.save; it may lack its beginning");
}

}  // namespace scorevi::io
