#include "file_lines.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "scorevi/core/error.h"

namespace scorevi::run {

int64_t file_bytes(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  return code ? 0 : static_cast<int64_t>(size);
}

void truncate_file(const std::string& path, int64_t bytes) {
  if (file_bytes(path) <= bytes) return;
  std::error_code code;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), code);
  if (code)
    throw Error(ErrorKind::kRuntime,
                path + ": cannot cut the file to " + std::to_string(bytes) + " bytes: " + code.message());
}

void keep_lines(const std::string& path, int64_t lines) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  int64_t bytes = 0;
  for (int64_t i = 0; i < lines && std::getline(file, line); ++i) bytes += static_cast<int64_t>(line.size()) + 1;
  truncate_file(path, bytes);
}

}  // namespace scorevi::run
