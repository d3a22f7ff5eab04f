// CIFAR-10 and CIFAR-100 (Krizhevsky 2009) in their binary files: records of label bytes and 3 x 32 x 32 pixel bytes.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "folder_walk.h"
#include "picture_parts.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/dataset.h"
#include "scorevi/io/gzip.h"
#include "sources.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 32;
constexpr std::size_t kPixels = 3 * kSide * kSide;

struct CifarForm {
  std::string name;
  std::string description;
  std::vector<std::string> folders;
  std::vector<std::string> train_files, test_files;  // without .bin
  std::size_t records = 0;                           // of a full file, at most
  std::size_t label_bytes = 1;
  std::size_t label_at = 0;  // which of the label bytes counts
  std::vector<std::string> class_names;
};

struct Records {
  at::Tensor images;  // [N, 3, 32, 32] uint8
  at::Tensor labels;  // [N] int64
};

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// The file of that name, or the one with the first records of it (data_batch_1_first5000.bin), raw or packed; "" where
// there is none.
std::string locate(const std::string& folder, const std::string& stem) {
  const std::string exact = first_present(folder, {stem + ".bin", stem + ".bin.gz"});
  if (!exact.empty()) return (fs::path(folder) / exact).string();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return "";
  const std::string start = stem + "_first";
  LeftOut uncounted;
  for (const std::string& name : visible_names(folder, uncounted)) {
    if (name.compare(0, start.size(), start) != 0) continue;
    const std::string rest = name.substr(start.size());
    const std::size_t dot = rest.find('.');
    if (dot == std::string::npos || !is_digits(rest.substr(0, dot))) continue;
    if (rest.substr(dot) == ".bin" || rest.substr(dot) == ".bin.gz") return (fs::path(folder) / name).string();
  }
  return "";
}

Records read_records(const std::string& path, const CifarForm& form) {
  const std::size_t record = form.label_bytes + kPixels;
  const std::string bytes = io::read_raw_or_gzip(path, form.records * record);
  if (bytes.empty() || bytes.size() % record != 0) {
    throw Error(ErrorKind::kData, fmt::format("{}: {} bytes, expected records of {} bytes (the file is damaged, or no "
                                              "{} file)",
                                              path, bytes.size(), record, form.name));
  }
  const auto count = static_cast<std::int64_t>(bytes.size() / record);
  Records out{at::empty({count, 3, kSide, kSide}, at::kByte), at::empty({count}, at::kLong)};
  auto* pixels = out.images.mutable_data_ptr<std::uint8_t>();
  auto* labels = out.labels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const char* from = bytes.data() + static_cast<std::size_t>(i) * record;
    labels[i] = static_cast<std::uint8_t>(from[form.label_at]);
    if (labels[i] >= static_cast<std::int64_t>(form.class_names.size())) {
      throw Error(ErrorKind::kData, fmt::format("{}: label {} of record {}, expected 0 to {}", path, labels[i], i,
                                                form.class_names.size() - 1));
    }
    std::memcpy(pixels + static_cast<std::size_t>(i) * kPixels, from + form.label_bytes, kPixels);
  }
  return out;
}

// Appends the files that are there and returns their number of rows.
std::int64_t read_files(const std::string& folder, const std::vector<std::string>& stems, const CifarForm& form,
                        std::vector<at::Tensor>& images, std::vector<at::Tensor>& labels) {
  std::int64_t rows = 0;
  std::vector<std::string> missing;
  for (const std::string& stem : stems) {
    const std::string path = locate(folder, stem);
    if (path.empty()) {
      missing.push_back(stem);
      continue;
    }
    const Records part = read_records(path, form);
    images.push_back(part.images);
    labels.push_back(part.labels);
    rows += part.images.size(0);
  }
  if (!missing.empty()) log().warn("{}: {} missing in {}, read without", form.name, join(missing), folder);
  return rows;
}

// A place needs the first training file and the test file.
std::string lacking_files(const std::string& place, const CifarForm& form, const std::string& part) {
  std::vector<std::string> lacking;
  if (part != "test" && locate(place, form.train_files.front()).empty()) lacking.push_back(form.train_files.front());
  if (part != "train" && locate(place, form.test_files.front()).empty()) lacking.push_back(form.test_files.front());
  for (std::string& name : lacking) name += ".bin[.gz]";
  return join(lacking);
}

Dataset read_cifar(const CifarForm& form, const DataOptions& options) {
  check_choice("part", options.part, {"all", "train", "test"});
  const std::string folder = find_set_folder(options, form.name, form.folders, [&](const std::string& place) {
    return lacking_files(place, form, options.part);
  });
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> labels;
  Dataset dataset;
  dataset.official_train = options.part == "test" ? 0 : read_files(folder, form.train_files, form, images, labels);
  if (options.part != "train") read_files(folder, form.test_files, form, images, labels);
  dataset.name = form.name;
  dataset.description = form.description;
  dataset.class_names = form.class_names;
  dataset.input_scale = 255.0;
  dataset.inputs = images.size() == 1 ? images.front() : at::cat(images);
  dataset.targets = labels.size() == 1 ? labels.front() : at::cat(labels);
  return dataset;
}

const std::vector<std::string> kFineNames = {
    "apple",      "aquarium_fish", "baby",         "bear",       "beaver",      "bed",         "bee",
    "beetle",     "bicycle",       "bottle",       "bowl",       "boy",         "bridge",      "bus",
    "butterfly",  "camel",         "can",          "castle",     "caterpillar", "cattle",      "chair",
    "chimpanzee", "clock",         "cloud",        "cockroach",  "couch",       "crab",        "crocodile",
    "cup",        "dinosaur",      "dolphin",      "elephant",   "flatfish",    "forest",      "fox",
    "girl",       "hamster",       "house",        "kangaroo",   "keyboard",    "lamp",        "lawn_mower",
    "leopard",    "lion",          "lizard",       "lobster",    "man",         "maple_tree",  "motorcycle",
    "mountain",   "mouse",         "mushroom",     "oak_tree",   "orange",      "orchid",      "otter",
    "palm_tree",  "pear",          "pickup_truck", "pine_tree",  "plain",       "plate",       "poppy",
    "porcupine",  "possum",        "rabbit",       "raccoon",    "ray",         "road",        "rocket",
    "rose",       "sea",           "seal",         "shark",      "shrew",       "skunk",       "skyscraper",
    "snail",      "snake",         "spider",       "squirrel",   "streetcar",   "sunflower",   "sweet_pepper",
    "table",      "tank",          "telephone",    "television", "tiger",       "tractor",     "train",
    "trout",      "tulip",         "turtle",       "wardrobe",   "whale",       "willow_tree", "wolf",
    "woman",      "worm"};

const std::vector<std::string> kCoarseNames = {"aquatic_mammals",
                                               "fish",
                                               "flowers",
                                               "food_containers",
                                               "fruit_and_vegetables",
                                               "household_electrical_devices",
                                               "household_furniture",
                                               "insects",
                                               "large_carnivores",
                                               "large_man-made_outdoor_things",
                                               "large_natural_outdoor_scenes",
                                               "large_omnivores_and_herbivores",
                                               "medium_mammals",
                                               "non-insect_invertebrates",
                                               "people",
                                               "reptiles",
                                               "small_mammals",
                                               "trees",
                                               "vehicles_1",
                                               "vehicles_2"};

}  // namespace

Dataset make_cifar10(const DataOptions& options) {
  static const CifarForm form = {
      "cifar10",
      "CIFAR-10, Krizhevsky 2009",
      {"cifar10", "cifar-10-batches-bin", "cifar10/cifar-10-batches-bin"},
      {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
      {"test_batch"},
      10000,
      1,
      0,
      {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}};
  return read_cifar(form, options);
}

Dataset make_cifar100(const DataOptions& options) {
  if (!options.level.empty()) check_choice("level", options.level, {"fine", "coarse"});
  const bool coarse = options.level == "coarse";
  const CifarForm form = {"cifar100",
                          fmt::format("CIFAR-100, {} labels, Krizhevsky 2009", coarse ? "coarse" : "fine"),
                          {"cifar100", "cifar-100-binary", "cifar100/cifar-100-binary"},
                          {"train"},
                          {"test"},
                          50000,
                          2,
                          coarse ? std::size_t{0} : std::size_t{1},
                          coarse ? kCoarseNames : kFineNames};
  return read_cifar(form, options);
}

}  // namespace scorevi::data
