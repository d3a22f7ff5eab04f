#include "scorevi/core/folder.h"

#include <filesystem>

#include "scorevi/core/error.h"

namespace scorevi {

void make_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::exists(path, code) && !fs::is_directory(path, code))
    throw Error(ErrorKind::kUsage, path + ": is a file, expected a folder");
  fs::create_directories(path, code);
  if (code) throw Error(ErrorKind::kRuntime, path + ": cannot create the folder: " + code.message());
}

}  // namespace scorevi
