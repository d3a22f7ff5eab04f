// The image data sets: bundled digits in CSV, the MNIST family in idx files.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <optional>

#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/data/data_root.h"
#include "scorevi/io/csv.h"
#include "scorevi/io/idx.h"
#include "sources.h"

namespace scorevi::data {
namespace {

const std::vector<std::string> kDigitNames = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
constexpr std::int64_t kDigitsSide = 8;
constexpr std::int64_t kDigitsMax = 16;
constexpr std::int64_t kIdxSide = 28;

struct IdxSet {
  std::string name;
  std::string description;
  std::vector<std::string> class_names;
};

struct Part {
  at::Tensor images;  // [N, 1, 28, 28] uint8
  at::Tensor labels;  // [N] int64
};

std::int64_t whole_number(const io::CsvTable& table, std::size_t row, std::size_t column, std::int64_t max) {
  const std::optional<std::int64_t> value = parse_int(table.cell(row, column));
  if (value && *value >= 0 && *value <= max) return *value;
  throw Error(ErrorKind::kData, fmt::format("{}: got \"{}\", expected a whole number from 0 to {}",
                                            table.where(row, column), table.cell(row, column), max));
}

Part read_part(const std::string& images_path, const std::string& labels_path, const IdxSet& set) {
  at::Tensor images = io::read_idx(images_path);
  const at::Tensor labels = io::read_idx(labels_path);
  if (images.dim() != 3 || images.size(1) != kIdxSide || images.size(2) != kIdxSide) {
    throw Error(ErrorKind::kData, fmt::format("{}: expected images of {} x {}", images_path, kIdxSide, kIdxSide));
  }
  if (labels.dim() != 1 || labels.size(0) != images.size(0)) {
    throw Error(ErrorKind::kData, fmt::format("{}: {} labels, expected {} as in {}", labels_path, labels.size(0),
                                              images.size(0), images_path));
  }
  const auto highest = labels.max().item<std::int64_t>();
  const auto classes = static_cast<std::int64_t>(set.class_names.size());
  if (highest >= classes) {
    throw Error(ErrorKind::kData, fmt::format("{}: label {}, expected 0 to {}", labels_path, highest, classes - 1));
  }
  return {images.unsqueeze(1), labels.to(at::kLong)};
}

Dataset make_idx_set(const IdxSet& set, const DataOptions& options) {
  check_choice("part", options.part, {"all", "train", "test"});
  std::vector<std::string> files;
  if (options.part != "test") {
    files.insert(files.end(), {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"});
  }
  if (options.part != "train") {
    files.insert(files.end(), {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});
  }
  const std::vector<std::string> paths = find_data_files(options.root, set.name, files);
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> labels;
  for (std::size_t i = 0; i < paths.size(); i += 2) {
    const Part part = read_part(paths[i], paths[i + 1], set);
    images.push_back(part.images);
    labels.push_back(part.labels);
  }
  Dataset dataset;
  dataset.name = set.name;
  dataset.description = set.description;
  dataset.class_names = set.class_names;
  dataset.input_scale = 255.0;
  dataset.official_train = options.part == "test" ? 0 : images.front().size(0);
  dataset.inputs = images.size() == 1 ? images.front() : at::cat(images);
  dataset.targets = labels.size() == 1 ? labels.front() : at::cat(labels);
  return dataset;
}

}  // namespace

Dataset make_digits(const DataOptions& options) {
  const std::string path = find_data_files(options.root, "digits", {"digits.csv"}).front();
  io::CsvOptions csv;
  csv.header = io::CsvHeader::kNo;
  csv.delimiter = ',';
  const io::CsvTable table = io::read_csv(path, csv);
  const std::int64_t pixels = kDigitsSide * kDigitsSide;
  if (static_cast<std::int64_t>(table.columns()) != pixels + 1) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: {} columns, expected {} pixels and the label", path, table.columns(), pixels));
  }
  const auto rows = static_cast<std::int64_t>(table.rows());
  Dataset dataset;
  dataset.name = "digits";
  dataset.description = "Optical Recognition of Handwritten Digits, test part, UCI (CC BY 4.0)";
  dataset.class_names = kDigitNames;
  dataset.input_scale = kDigitsMax;
  dataset.inputs = at::empty({rows, 1, kDigitsSide, kDigitsSide}, at::kByte);
  dataset.targets = at::empty({rows}, at::kLong);
  auto* pixel = dataset.inputs.mutable_data_ptr<std::uint8_t>();
  auto* label = dataset.targets.mutable_data_ptr<std::int64_t>();
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t c = 0; c + 1 < table.columns(); ++c) {
      *pixel++ = static_cast<std::uint8_t>(whole_number(table, r, c, kDigitsMax));
    }
    *label++ = whole_number(table, r, table.columns() - 1, 9);
  }
  return dataset;
}

Dataset make_mnist(const DataOptions& options) {
  static const IdxSet kSet = {"mnist", "MNIST handwritten digits, LeCun, Cortes, Burges", kDigitNames};
  return make_idx_set(kSet, options);
}

Dataset make_fashion_mnist(const DataOptions& options) {
  static const IdxSet kSet = {
      "fashion_mnist",
      "Fashion-MNIST, Zalando Research (MIT)",
      {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}};
  return make_idx_set(kSet, options);
}

Dataset make_kmnist(const DataOptions& options) {
  static const IdxSet kSet = {"kmnist",
                              "Kuzushiji-MNIST, ROIS-DS Center for Open Data in the Humanities "
                              "(CC BY-SA 4.0)",
                              {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"}};
  return make_idx_set(kSet, options);
}

}  // namespace scorevi::data
