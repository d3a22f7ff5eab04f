#include "picture_parts.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <unordered_map>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/data_root.h"
#include "sources.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFiles = 5;  // in messages

// A picture for training and for the test is no test.
void check_parts_apart(const std::string& name, const ListedParts& parts) {
  std::unordered_map<std::string, std::size_t> part_of;
  std::vector<std::string> shared;
  std::size_t number = 0;
  for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
    for (const ListedPicture& picture : *part) {
      const std::string path = fs::path(picture.path).lexically_normal().string();
      if (part_of.emplace(path, number).first->second != number) shared.push_back(picture.path);
    }
    ++number;
  }
  if (shared.empty()) return;
  throw Error(ErrorKind::kData, fmt::format("{}: {} pictures are in more than one of the parts train, validation and "
                                            "test: {}",
                                            name, shared.size(), join_first(shared, kNamedFiles)));
}

void check_files_exist(const PictureList& list) {
  std::vector<std::string> missing;
  for (const std::string& path : list.paths) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) missing.push_back(path);
  }
  if (missing.empty()) return;
  throw Error(ErrorKind::kData, fmt::format("{}: {} of {} listed pictures are missing: {}", list.name, missing.size(),
                                            list.paths.size(), join_first(missing, kNamedFiles)));
}

}  // namespace

std::vector<std::string> sorted_classes(const ListedParts& parts) {
  std::set<std::string> names;
  for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
    for (const ListedPicture& picture : *part) names.insert(picture.class_name);
  }
  return {names.begin(), names.end()};
}

PictureList make_picture_list(const std::string& name, const std::string& description, const ListedParts& parts,
                              const std::vector<std::string>& class_names, const DataOptions& options) {
  check_choice("part", options.part, {"all", "train", "test"});
  if (parts.pool && options.part != "all") {
    throw Error(ErrorKind::kUsage, fmt::format("data.part: got \"{}\", expected all: {} has no training and test part",
                                               options.part, name));
  }
  std::unordered_map<std::string, std::int64_t> number_of;
  for (const std::string& class_name : class_names) {
    const bool is_new = number_of.emplace(class_name, static_cast<std::int64_t>(number_of.size())).second;
    SCOREVI_CHECK(is_new);
  }
  PictureList list;
  list.name = name;
  list.description = description;
  list.class_names = class_names;
  const auto append = [&](const std::vector<ListedPicture>& part) {
    for (const ListedPicture& picture : part) {
      list.paths.push_back(picture.path);
      list.labels.push_back(number_of.at(picture.class_name));
    }
    return static_cast<std::int64_t>(part.size());
  };
  const std::int64_t train = options.part == "test" ? 0 : append(parts.train);
  list.validation = options.part == "test" ? 0 : append(parts.validation);
  if (options.part != "train") append(parts.test);
  list.train = parts.pool ? -1 : train;
  if (list.paths.empty())
    throw Error(ErrorKind::kData, name + ": no pictures" + (options.root.empty() ? "" : " in " + options.root));
  check_parts_apart(name, parts);
  if (!parts.walked || options.on_bad_image == "error") check_files_exist(list);
  return list;
}

std::string find_set_folder(const DataOptions& options, const std::string& name,
                            const std::vector<std::string>& folders,
                            const std::function<std::string(const std::string&)>& lacking) {
  std::string searched;
  for (const std::string& root : data_roots(options.root)) {
    std::vector<std::string> places = {root};
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
      places.insert(places.begin(), (fs::path(root) / *folder).string());
    }
    for (const std::string& place : places) {
      const std::string what = lacking(place);
      if (what.empty()) return place;
      std::error_code ignored;
      searched += fmt::format("\n  {}: {}", place, fs::is_directory(place, ignored) ? "lacks " + what : "is no folder");
    }
  }
  throw Error(ErrorKind::kData, fmt::format("data set {}: not found, looked in{}\nset data.root or SCOREVI_DATA to the "
                                            "folder that holds {}/",
                                            name, searched, folders.front()));
}

std::string lacking_names(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> lacking;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (!fs::exists(fs::path(folder) / name, ignored)) lacking.push_back(name);
  }
  return join(lacking);
}

std::string first_present(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (lacking_names(folder, {name}).empty()) return name;
  }
  return "";
}

LabelledFolder find_labelled_folder(const DataOptions& options, const std::string& name,
                                    const std::vector<std::string>& folders,
                                    const std::vector<std::string>& label_folders) {
  const std::vector<std::string> wanted =
      options.labels_dir.empty()
          ? label_folders
          : std::vector<std::string>{options.labels_dir, fs::absolute(options.labels_dir).string()};
  const std::string folder = find_set_folder(options, name, folders, [&](const std::string& place) -> std::string {
    const std::string lacking = lacking_names(place, {"images"});
    return lacking.empty() && first_present(place, wanted).empty() ? wanted.front() : lacking;
  });
  return {folder, first_present(folder, wanted)};
}

}  // namespace scorevi::data
