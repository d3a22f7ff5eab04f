// Picture files as data sets.
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "picture_sources.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/log.h"
#include "scorevi/core/memory.h"
#include "scorevi/data/dataset.h"
#include "scorevi/data/rows.h"
#include "sources.h"

namespace scorevi::data {
namespace {

// Of `count` rows from `first` on, how many are in `rows` (ascending).
std::int64_t count_between(const std::vector<std::int64_t>& rows, std::int64_t first, std::int64_t count) {
  const auto begin = std::lower_bound(rows.begin(), rows.end(), first);
  return std::lower_bound(begin, rows.end(), first + count) - begin;
}

constexpr std::size_t kNamedPictures = 5;  // of those that are left out

// Error where a part of the set is lost: rows of another would be drawn for it.
void check_parts_left(const PictureList& list, const std::vector<std::int64_t>& left_out) {
  const std::int64_t train = std::max<std::int64_t>(0, list.train), test = list.size() - train - list.validation;
  const auto check = [&](const char* part, std::int64_t begin, std::int64_t count) {
    if (count > 0 && count_between(left_out, begin, count) == count)
      throw Error(ErrorKind::kData,
                  fmt::format("{}: none of the {} {} pictures can be read, the first is {}; repair or remove them",
                              list.name, count, part, list.paths[static_cast<std::size_t>(begin)]));
  };
  check("training", 0, train);
  check("validation", train, list.validation);
  check("test", train + list.validation, test);
}

// Takes pictures that cannot be read out of the list.
void leave_out(const std::vector<Pictures::Bad>& bad, PictureList& list) {
  if (bad.empty()) return;
  for (std::size_t i = 0; i < std::min(kNamedPictures, bad.size()); ++i) log().warn("{}; left out", bad[i].reason);
  if (static_cast<std::int64_t>(bad.size()) == list.size())
    throw Error(ErrorKind::kData, fmt::format("{}: none of the {} pictures can be read", list.name, list.size()));
  log().warn("{}: {} of {} pictures cannot be read and are left out", list.name, bad.size(), list.size());
  std::vector<std::int64_t> rows;
  for (const Pictures::Bad& picture : bad) rows.push_back(picture.row);
  check_parts_left(list, rows);
  const std::int64_t train = std::max<std::int64_t>(0, list.train);
  const std::int64_t of_validation = count_between(rows, train, list.validation);
  if (list.train >= 0) list.train -= count_between(rows, 0, list.train);
  list.validation -= of_validation;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < list.paths.size(); ++row) {
    if (std::binary_search(rows.begin(), rows.end(), static_cast<std::int64_t>(row))) continue;
    std::swap(list.paths[kept], list.paths[row]);
    list.labels[kept++] = list.labels[row];
  }
  list.paths.resize(kept);
  list.labels.resize(kept);
}

// Decodes every picture once, leaves out those that cannot be read, and returns what is wrong with any. Damage in part
// is told when the pictures are used.
std::vector<BadPicture> skip_bad(PictureFileOptions options, PictureList& list) {
  options.quiet = true;
  const PictureFiles files(list.paths, options);
  std::vector<BadPicture> found;
  log().info("{}: decoding the {} pictures once, to leave out those that cannot be read", list.name, files.size());
  const std::vector<Pictures::Bad> bad = files.bad_rows(rows_between(0, files.size()), PictureForm{}, core_count());
  for (const Pictures::Bad& picture : bad)
    found.push_back({files.name(picture.row), picture.reason, BadPicture::Use::kNo});
  for (const Pictures::Odd& picture : files.odd_rows())
    found.push_back({files.name(picture.row), picture.reason, BadPicture::Use::kPart});
  leave_out(bad, list);
  return found;
}

// Tells what the decoded pictures will take before they take it.
void tell_cache(const PictureFiles& files, const std::string& name) {
  const std::int64_t need = files.decoded_bytes();
  const std::int64_t free = available_memory_bytes();
  if (free >= 0 && need > free)
    throw Error(ErrorKind::kRuntime, fmt::format("data.cache: the {} decoded pictures of {} need {}, got {} free; use "
                                                 "cache: none",
                                                 files.size(), name, format_bytes(need), format_bytes(free)));
  log().info("{}: decoded pictures are kept in memory, {} for all {}", name, format_bytes(need), files.size());
}

Dataset make_picture_set(PictureList list, const DataOptions& options) {
  check_choice("on_bad_image", options.on_bad_image, {"error", "skip", "substitute"});
  check_choice("cache", options.cache, {"none", "decoded"});
  PictureFileOptions file_options;
  file_options.exif = options.exif_orientation ? io::ExifMode::kApply : io::ExifMode::kIgnore;
  if (options.on_bad_image == "substitute") file_options.on_bad = OnBadPicture::kSubstitute;
  std::vector<BadPicture> bad;
  if (options.on_bad_image == "skip") bad = skip_bad(file_options, list);
  file_options.keep_decoded = options.cache == "decoded";
  auto files = std::make_shared<PictureFiles>(std::move(list.paths), file_options);
  if (file_options.keep_decoded) tell_cache(*files, list.name);
  Dataset dataset;
  dataset.name = list.name;
  dataset.description = list.description;
  dataset.pictures = files;
  dataset.bad_pictures = std::move(bad);
  dataset.targets = at::tensor(list.labels, at::kLong);
  dataset.class_names = list.class_names;
  dataset.official_train = list.train < 0 ? -1 : list.train + list.validation;
  dataset.official_validation = list.validation;
  return dataset;
}

}  // namespace

Dataset make_image_folder(const DataOptions& options) { return make_picture_set(list_image_folder(options), options); }

Dataset make_image_list(const DataOptions& options) { return make_picture_set(list_image_list(options), options); }

Dataset make_dtd(const DataOptions& options) { return make_picture_set(list_dtd(options), options); }

Dataset make_oxford_pets(const DataOptions& options) { return make_picture_set(list_oxford_pets(options), options); }

Dataset make_flowers102(const DataOptions& options) { return make_picture_set(list_flowers102(options), options); }

Dataset make_fgvc_aircraft(const DataOptions& options) {
  return make_picture_set(list_fgvc_aircraft(options), options);
}

}  // namespace scorevi::data
