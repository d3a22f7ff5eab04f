#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "folder_walk.h"
#include "picture_parts.h"
#include "picture_sources.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/core/utf8.h"
#include "scorevi/data/picture_list.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kValidationNames = {"val", "valid", "validation"};

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

class FolderReader {
 public:
  explicit FolderReader(std::string root) : root_(std::move(root)) {}

  ListedParts read() {
    if (!is_folder(root_)) {
      throw Error(ErrorKind::kData, fmt::format("data.root: \"{}\" is no folder, expected one with a folder for each "
                                                "class",
                                                root_));
    }
    refuse_capitals();
    ListedParts parts;
    parts.walked = true;
    const std::string validation = validation_folder();
    const bool has_test = is_folder(fs::path(root_) / "test");
    if (is_folder(fs::path(root_) / "train")) {
      check_other_folders(validation, has_test);
      parts.train = read_classes((fs::path(root_) / "train").string());
      if (!validation.empty()) parts.validation = read_classes((fs::path(root_) / validation).string());
      if (has_test) parts.test = read_classes((fs::path(root_) / "test").string());
    } else if (!validation.empty() || has_test) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: has a folder {}, expected train beside it", root_, has_test ? "test" : validation));
    } else {
      parts.train = read_classes(root_);
      parts.pool = true;
    }
    tell_left_out();
    if (sorted_classes(parts).empty() && !loose_.empty())
      throw Error(ErrorKind::kData, fmt::format("{0}: {1} files lie in the folder itself, expected a folder for each "
                                                "class: {0}/<class>/<picture>",
                                                loose_.front().folder, loose_.front().files));
    return parts;
  }

 private:
  // "Train" beside "Test" are parts that somebody named so, and no classes.
  void refuse_capitals() const {
    LeftOut uncounted;
    for (const std::string& name : visible_names(root_, uncounted)) {
      const std::string lower = lower_case(name);
      const bool part = lower == "train" || lower == "test" ||
                        std::find(kValidationNames.begin(), kValidationNames.end(), lower) != kValidationNames.end();
      if (part && lower != name && is_folder(fs::path(root_) / name))
        throw Error(ErrorKind::kData,
                    fmt::format("{}: has a folder {}, expected {} for a part of the data", root_, name, lower));
    }
  }

  std::string validation_folder() const {
    std::vector<std::string> found;
    for (const std::string& name : kValidationNames) {
      if (is_folder(fs::path(root_) / name)) found.push_back(name);
    }
    if (found.size() > 1) {
      throw Error(ErrorKind::kData, fmt::format("{}: has the folders {}, expected one of them", root_, join(found)));
    }
    return found.empty() ? "" : found.front();
  }

  std::vector<ListedPicture> read_classes(const std::string& folder) {
    std::vector<ListedPicture> pictures;
    std::size_t loose = 0;
    for (const std::string& name : visible_names(folder, left_out_)) {
      const std::string path = (fs::path(folder) / name).string();
      if (!is_folder(path)) {
        ++loose;
        continue;
      }
      if (!is_utf8(name))
        throw Error(ErrorKind::kData,
                    as_utf8(path) + ": the name of this class is no UTF-8 text, expected one; rename the folder");
      const std::vector<std::string> found = pictures_below(path, left_out_);
      if (found.empty()) empty_.push_back(path);
      for (const std::string& picture : found) pictures.push_back({picture, name});
    }
    if (loose > 0) loose_.push_back({folder, loose});
    return pictures;
  }

  // Where there is no other part, "train" may be a class that somebody named so.
  void check_other_folders(const std::string& validation, bool has_test) const {
    std::vector<std::string> others;
    LeftOut uncounted;
    for (const std::string& name : visible_names(root_, uncounted)) {
      const bool known = name == "train" || name == "test" || name == validation;
      if (!known && is_folder(fs::path(root_) / name)) others.push_back(name);
    }
    for (const std::string& name : others)
      if (validation.empty() && !has_test && !pictures_below((fs::path(root_) / name).string(), uncounted).empty())
        throw Error(
            ErrorKind::kData,
            fmt::format("{0}: {0}/train stands for the training part, but {0}/{1} beside it holds pictures, and "
                        "there is no {0}/val or {0}/test; rename a class train, move other folders away",
                        root_, name));
    if (!others.empty()) log().warn("{}: folders beside train are left out: {}", root_, join(others));
  }

  void tell_left_out() const {
    const std::string text = left_out_text(left_out_);
    if (!text.empty()) log().info("{}: left out {}", root_, text);
    for (const Loose& loose : loose_)
      log().warn("{}: {} files outside the class folders are left out", loose.folder, loose.files);
    if (!empty_.empty())
      log().warn("{}: class folders without a picture (JPEG, PNG, GIF, BMP by their names) are left out: {}", root_,
                 join(empty_));
  }

  // Files that lie beside the folders of classes.
  struct Loose {
    std::string folder;
    std::size_t files;
  };

  std::string root_;
  LeftOut left_out_;
  std::vector<Loose> loose_;
  std::vector<std::string> empty_;
};

}  // namespace

std::vector<std::string> find_pictures(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw Error(ErrorKind::kData, path + ": no such file or folder");
  if (!is_folder(path)) return {path};
  LeftOut left_out;
  std::vector<std::string> found = pictures_below(path, left_out);
  const std::string text = left_out_text(left_out);
  if (!text.empty()) log().info("{}: left out {}", path, text);
  if (found.empty()) throw Error(ErrorKind::kData, path + ": no pictures below this folder");
  return found;
}

PictureList list_image_folder(const DataOptions& options) {
  if (options.root.empty()) {
    throw Error(ErrorKind::kUsage, "data.root: got \"\", expected the folder of your pictures");
  }
  const ListedParts parts = FolderReader(options.root).read();
  return make_picture_list("image_folder", "pictures in " + options.root, parts, sorted_classes(parts), options);
}

}  // namespace scorevi::data
