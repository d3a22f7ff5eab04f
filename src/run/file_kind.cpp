#include "file_kind.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>

#include "scorevi/core/text.h"
#include "scorevi/io/gzip.h"
#include "scorevi/io/idx.h"
#include "scorevi/io/image.h"

namespace scorevi::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMagicBytes = 4;

std::string first_bytes(const std::string& path) {
  constexpr std::size_t kCount = 4096;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "";
  std::string first(kCount, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), kCount);
  first.resize(static_cast<std::size_t>(file.gcount()));
  return first;
}

bool has_ending(std::string name, std::initializer_list<const char*> endings) {
  name = lower_case(name);
  if (ends_with(name, ".gz")) name.resize(name.size() - 3);
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return ends_with(name, ending); });
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return FileKind::kFolder;
  const std::string name = fs::path(path).filename().string(), first = first_bytes(path);
  if (!io::format_of_name(path).empty() || io::begins_like_picture(first)) return FileKind::kPicture;
  if (has_ending(name, {".safetensors", ".pth", ".pt", ".ckpt", ".bin"})) return FileKind::kWeights;
  if (has_ending(name, {".csv", ".tsv", ".txt"})) return FileKind::kTable;
  if (io::begins_like_idx(io::is_gzip(first) ? io::gunzip_beginning(first, kMagicBytes) : first)) return FileKind::kIdx;
  return FileKind::kOther;
}

std::string kind_text(FileKind kind) {
  switch (kind) {
    case FileKind::kFolder:
      return "a folder";
    case FileKind::kPicture:
      return "a picture";
    case FileKind::kIdx:
      return "an idx file";
    case FileKind::kWeights:
      return "a weight file";
    case FileKind::kTable:
      return "a table";
    case FileKind::kOther:
      break;
  }
  return "something else";
}

}  // namespace scorevi::run
