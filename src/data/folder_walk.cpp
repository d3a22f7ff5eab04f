#include "folder_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "picture_parts.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedOthers = 3;

bool is_hidden(const std::string& name) {
  return name[0] == '.' || name == "Thumbs.db" || name == "desktop.ini" || name == "__MACOSX";
}

}  // namespace

std::vector<std::string> visible_names(const std::string& folder, LeftOut& left_out) {
  std::vector<std::string> names;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (is_hidden(name)) {
      ++left_out.hidden;
    } else {
      names.push_back(name);
    }
  }
  if (code) throw Error(ErrorKind::kData, fmt::format("{}: cannot be read as a folder: {}", folder, code.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> pictures_below(const std::string& folder, LeftOut& left_out) {
  std::vector<std::string> pictures;
  std::set<std::string> entered;
  std::vector<std::string> waiting = {folder};
  while (!waiting.empty()) {
    const std::string place = waiting.back();
    waiting.pop_back();
    std::error_code code;
    if (!entered.insert(fs::canonical(place, code).string()).second) continue;
    for (const std::string& name : visible_names(place, left_out)) {
      const std::string path = (fs::path(place) / name).string();
      if (fs::is_directory(path, code)) {
        waiting.insert(fs::is_symlink(path, code) ? waiting.begin() : waiting.end(), path);  // links come last
      } else if (is_picture_name(name)) {
        pictures.push_back(path);
      } else if (++left_out.other <= kNamedOthers) {
        left_out.others.push_back(path);
      }
    }
  }
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

std::string left_out_text(const LeftOut& left_out) {
  std::string text = left_out.hidden == 0 ? "" : fmt::format("{} hidden", left_out.hidden);
  if (left_out.other == 0) return text;
  return fmt::format("{}{}{} no picture by name ({}{})", text, text.empty() ? "" : ", ", left_out.other,
                     join(left_out.others), left_out.other > left_out.others.size() ? ", ..." : "");
}

}  // namespace scorevi::data
