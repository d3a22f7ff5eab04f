#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "picture_lines.h"
#include "picture_sources.h"
#include "scorevi/core/suggest.h"
#include "sources.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

struct Level {
  std::string name;
  std::string class_file;
};

const std::vector<Level> kLevels = {
    {"variant", "variants.txt"}, {"family", "families.txt"}, {"manufacturer", "manufacturers.txt"}};

const Level& find_level(const std::string& name) {
  std::vector<std::string> names;
  for (const Level& level : kLevels) {
    if (level.name == name) return level;
    names.push_back(level.name);
  }
  if (!name.empty()) check_choice("level", name, names);
  return kLevels.front();
}

// The names of the class file in its order, each once; empty where there is no such file.
std::vector<std::string> read_class_names(const std::string& path) {
  std::error_code ignored;
  std::vector<std::string> names;
  if (!fs::exists(path, ignored)) return names;
  std::set<std::string> seen;
  for (const ListLine& line : read_list(path)) {
    if (!seen.insert(line.text).second) bad_line(path, line, fmt::format("class \"{}\" stands there twice", line.text));
    names.push_back(line.text);
  }
  return names;
}

// Pictures of one list; their classes must be among `known` where that is not empty.
std::vector<ListedPicture> read_part(const fs::path& folder, const std::string& file,
                                     const std::vector<std::string>& known) {
  const std::string list = (folder / file).string();
  const std::set<std::string> classes(known.begin(), known.end());
  std::vector<ListedPicture> pictures;
  for (const ListLine& line : read_list(list)) {
    const AircraftLine entry = aircraft_line(line, list);
    if (!classes.empty() && classes.count(entry.class_name) == 0) {
      bad_line(list, line,
               fmt::format("class \"{}\" is not in the file of classes{}", entry.class_name,
                           did_you_mean(entry.class_name, known)));
    }
    pictures.push_back({(folder / "images" / (entry.id + ".jpg")).string(), entry.class_name});
  }
  return pictures;
}

}  // namespace

PictureList list_fgvc_aircraft(const DataOptions& options) {
  const Level& level = find_level(options.level);
  const auto file = [&](const char* part) { return fmt::format("images_{}_{}.txt", level.name, part); };
  const std::vector<std::string> separate = {file("train"), file("val")};
  const std::string folder = find_set_folder(
      options, "fgvc_aircraft", {"fgvc_aircraft/data", "fgvc-aircraft-2013b/data", "fgvc_aircraft", "data"},
      [&](const std::string& place) {
        const std::string lacking = lacking_names(place, {"images", file("test")});
        const bool has_train =
            lacking_names(place, separate).empty() || !first_present(place, {file("trainval")}).empty();
        return lacking.empty() && !has_train ? join(separate) : lacking;
      });
  const std::vector<std::string> known = read_class_names((fs::path(folder) / level.class_file).string());
  ListedParts parts;
  if (lacking_names(folder, separate).empty()) {
    parts.train = read_part(folder, separate[0], known);
    parts.validation = read_part(folder, separate[1], known);
  } else {
    parts.train = read_part(folder, file("trainval"), known);
  }
  parts.test = read_part(folder, file("test"), known);
  return make_picture_list("fgvc_aircraft", "FGVC-Aircraft 2013b by " + level.name + " (non-commercial research only)",
                           parts, known.empty() ? sorted_classes(parts) : known, options);
}

}  // namespace scorevi::data
