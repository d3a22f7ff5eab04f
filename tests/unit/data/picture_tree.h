// Small trees of picture files for tests. The files are empty: listing decodes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scorevi/data/options.h"
#include "scorevi/data/picture_list.h"
#include "support/temp_dir.h"

namespace scorevi::test {

inline void touch(const TempDir& dir, const std::vector<std::string>& files) {
  for (const std::string& file : files) dir.write(file, "");
}

inline data::DataOptions rooted(const std::string& root) {
  data::DataOptions options;
  options.root = root;
  return options;
}

// "class" of each row.
inline std::vector<std::string> classes_of(const data::PictureList& list) {
  std::vector<std::string> out;
  for (const std::int64_t label : list.labels) out.push_back(list.class_names.at(static_cast<std::size_t>(label)));
  return out;
}

// The paths relative to `root`.
inline std::vector<std::string> files_of(const data::PictureList& list, const std::string& root) {
  std::vector<std::string> out;
  for (const std::string& path : list.paths)
    out.push_back(std::filesystem::path(path).lexically_relative(root).string());
  return out;
}

}  // namespace scorevi::test
