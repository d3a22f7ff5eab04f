#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "picture_lines.h"
#include "picture_sources.h"
#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

// The list in the folder of the pictures, else relative to the working folder.
std::string locate_list(const std::string& root, const std::string& list) {
  std::error_code ignored;
  const fs::path inside = fs::path(root) / list;
  return fs::is_regular_file(inside, ignored) ? inside.string() : list;
}

std::vector<ListedPicture> read_part(const std::string& root, const std::string& option) {
  if (option.empty()) return {};
  const std::string list = locate_list(root, option);
  std::vector<ListedPicture> pictures;
  for (const ListLine& line : read_list(list)) {
    const LabelledPath entry = labelled_path(line, list);
    pictures.push_back({(fs::path(root) / entry.path).string(), entry.label});
  }
  if (pictures.empty()) throw Error(ErrorKind::kData, list + ": lists no pictures");
  return pictures;
}

// The number that a label is written as, nothing for 01 or 1.0, which would be a second name of 1.
std::optional<std::int64_t> plain_number(const std::string& label) {
  const std::optional<std::int64_t> number = parse_int(label);
  return number && std::to_string(*number) == label ? number : std::nullopt;
}

std::vector<std::string> in_order_of_numbers(std::vector<std::string> names) {
  const bool all = std::all_of(names.begin(), names.end(), [](const std::string& name) { return plain_number(name); });
  if (all) {
    std::sort(names.begin(), names.end(),
              [](const std::string& a, const std::string& b) { return plain_number(a) < plain_number(b); });
  }
  return names;
}

}  // namespace

PictureList list_image_list(const DataOptions& options) {
  if (options.root.empty()) {
    throw Error(ErrorKind::kUsage, "data.root: got \"\", expected the folder that the paths of the lists begin at");
  }
  if (options.list_train.empty()) {
    throw Error(ErrorKind::kUsage, "data.list_train: got \"\", expected a text file with lines \"path label\"");
  }
  ListedParts parts;
  parts.train = read_part(options.root, options.list_train);
  parts.validation = read_part(options.root, options.list_validation);
  parts.test = read_part(options.root, options.list_test);
  parts.pool = parts.validation.empty() && parts.test.empty();
  return make_picture_list("image_list", "pictures listed in " + options.list_train, parts,
                           in_order_of_numbers(sorted_classes(parts)), options);
}

}  // namespace scorevi::data
