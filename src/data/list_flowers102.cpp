#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "picture_parts.h"
#include "picture_sources.h"
#include "scorevi/core/error.h"
#include "scorevi/io/mat.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kClasses = 102;
const std::vector<std::string> kNameFiles = {"class_names.txt", "VggFlower_labels.txt"};

std::vector<std::string> read_class_names(const fs::path& folder) {
  const std::string file = first_present(folder.string(), kNameFiles);
  std::vector<std::string> names;
  if (file.empty()) {
    for (std::int64_t i = 1; i <= kClasses; ++i) names.push_back(fmt::format("flower_{:03}", i));
    return names;
  }
  const std::string path = (folder / file).string();
  for (const ListLine& line : read_list(path)) names.push_back(line.text);
  const std::set<std::string> distinct(names.begin(), names.end());
  if (names.size() != kClasses || distinct.size() != names.size()) {
    throw Error(ErrorKind::kData, fmt::format("{}: {} names, {} of them different, expected {} different names", path,
                                              names.size(), distinct.size(), kClasses));
  }
  return names;
}

// Labels 1 .. 102, one per picture.
std::vector<std::int64_t> read_labels(const fs::path& folder) {
  const std::string path = (folder / "imagelabels.mat").string();
  std::vector<std::int64_t> labels = io::read_mat_integers(path, "labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 1 || labels[i] > kClasses) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}, labels: number {} is {}, expected 1 to {}", path, i + 1, labels[i], kClasses));
    }
  }
  return labels;
}

}  // namespace

PictureList list_flowers102(const DataOptions& options) {
  const std::vector<std::string> needed = {"imagelabels.mat", "setid.mat", "jpg"};
  const fs::path folder = find_set_folder(options, "flowers102", {"flowers102", "flowers-102"},
                                          [&](const std::string& place) { return lacking_names(place, needed); });
  const std::vector<std::string> class_names = read_class_names(folder);
  const std::vector<std::int64_t> labels = read_labels(folder);
  const std::string sets = (folder / "setid.mat").string();
  const auto read_part = [&](const std::string& variable) {
    std::vector<ListedPicture> pictures;
    for (const std::int64_t number : io::read_mat_integers(sets, variable)) {
      if (number < 1 || number > static_cast<std::int64_t>(labels.size())) {
        throw Error(ErrorKind::kData, fmt::format("{}, {}: picture number {}, expected 1 to {}, one for each label",
                                                  sets, variable, number, labels.size()));
      }
      const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(number - 1)] - 1);
      pictures.push_back({(folder / "jpg" / fmt::format("image_{:05}.jpg", number)).string(), class_names[label]});
    }
    return pictures;
  };
  ListedParts parts;
  parts.train = read_part("trnid");
  parts.validation = read_part("valid");
  parts.test = read_part("tstid");
  return make_picture_list("flowers102", "Oxford 102 Flowers", parts, class_names, options);
}

}  // namespace scorevi::data
