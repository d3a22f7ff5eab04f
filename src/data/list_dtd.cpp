#include <fmt/format.h>

#include <filesystem>

#include "picture_lines.h"
#include "picture_sources.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPartitions = 10;

std::vector<ListedPicture> read_part(const fs::path& folder, const std::string& labels, const std::string& file) {
  const std::string list = (folder / labels / file).string();
  std::vector<ListedPicture> pictures;
  for (const ListLine& line : read_list(list)) {
    const LabelledPath entry = labelled_path(line, list);
    pictures.push_back({(folder / "images" / entry.path).string(), entry.label});
  }
  return pictures;
}

}  // namespace

PictureList list_dtd(const DataOptions& options) {
  if (options.partition < 1 || options.partition > kPartitions) {
    throw Error(ErrorKind::kUsage,
                fmt::format("data.partition: got {}, expected 1 to {}", options.partition, kPartitions));
  }
  const auto [folder, labels] = find_labelled_folder(options, "dtd", {"dtd", "dtd/dtd"}, {"labels", "labels_subset"});
  ListedParts parts;
  parts.train = read_part(folder, labels, fmt::format("train{}.txt", options.partition));
  parts.validation = read_part(folder, labels, fmt::format("val{}.txt", options.partition));
  parts.test = read_part(folder, labels, fmt::format("test{}.txt", options.partition));
  return make_picture_list("dtd", fmt::format("Describable Textures, {}, partition {}", labels, options.partition),
                           parts, sorted_classes(parts), options);
}

}  // namespace scorevi::data
