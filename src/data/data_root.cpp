#include "scorevi/data/data_root.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The file raw or packed; "" where there is neither.
std::string locate(const fs::path& folder, const std::string& file) {
  if (is_file(folder / file)) return (folder / file).string();
  if (is_file(folder / (file + ".gz"))) return (folder / (file + ".gz")).string();
  return "";
}

}  // namespace

std::string bundled_data_dir() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "scorevi" / "data";
  if (!program.empty() && fs::is_directory(installed, ignored)) return installed.string();
  return SCOREVI_SOURCE_DATA_DIR;
}

std::vector<std::string> data_roots(const std::string& root) {
  if (!root.empty()) return {root};
  std::vector<std::string> roots;
  const char* environment = std::getenv("SCOREVI_DATA");
  if (environment != nullptr && *environment != '\0') roots.emplace_back(environment);
  roots.emplace_back("data");
  roots.emplace_back("data/raw");
  roots.push_back(bundled_data_dir());
  roots.push_back(bundled_data_dir() + "/raw");  // where scripts/download_data.sh puts them
  return roots;
}

std::vector<std::string> find_data_files(const std::string& root, const std::string& folder,
                                         const std::vector<std::string>& files) {
  std::string searched;
  for (const std::string& base : data_roots(root)) {
    std::error_code ignored;
    if (!fs::is_directory(base, ignored)) {
      searched += fmt::format("\n  {}: no such folder", base);
      continue;
    }
    for (const fs::path& place : {fs::path(base) / folder, fs::path(base)}) {
      std::vector<std::string> found;
      std::vector<std::string> lacking;
      for (const std::string& file : files) {
        const std::string path = locate(place, file);
        (path.empty() ? lacking : found).push_back(path.empty() ? file : path);
      }
      if (lacking.empty()) return found;
      searched += fmt::format("\n  {}: {}", place.string(), found.empty() ? "none of them" : "lacks " + join(lacking));
    }
  }
  throw Error(ErrorKind::kData,
              fmt::format("data set {}: files are missing, expected {} (each raw or .gz) in one of{}\n"
                          "set data.root or SCOREVI_DATA to the folder that holds {}/",
                          folder, join(files), searched, folder));
}

}  // namespace scorevi::data
