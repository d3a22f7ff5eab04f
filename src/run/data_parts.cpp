#include "data_parts.h"

#include "data_files.h"
#include "picture_form.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/registry.h"
#include "scorevi/data/rows.h"

namespace scorevi::run {
namespace {

bool official_validation(const RunOptions& options, const data::Dataset& dataset) {
  if (options.data.validation != "auto") return options.data.validation == "official";
  return data::is_own_pictures(dataset.name) && dataset.official_validation > 0 && options.data.train_size == 0;
}

// A validation part that "auto" does not keep.
void tell_mixed_validation(const RunOptions& options, const data::Dataset& dataset) {
  if (options.data.validation == "auto" && data::is_own_pictures(dataset.name) && dataset.official_validation > 0 &&
      options.data.train_size != 0)
    log().warn("{}: data.train_size draws from training and validation part together, and splits them anew",
               dataset.name);
}

constexpr std::size_t kNamedClasses = 10;

// Training rows that stand in for a missing test part.
void tell_drawn_test(const DataParts& parts, double test_frac) {
  const bool training_part_only = parts.dataset.official_train == parts.dataset.size();
  if (training_part_only && !parts.split.test.empty())
    log().info("{}: has no test part; {} of the training rows are held out for testing (data.test_frac: {})",
               parts.dataset.name, parts.split.test.size(), test_frac);
}

// Classes of one row are in one part only.
void tell_single_rows(const DataParts& parts) {
  const std::vector<int64_t> counts = parts.dataset.class_counts(data::rows_between(0, parts.dataset.size()));
  std::vector<std::string> single;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] == 1) single.push_back(parts.dataset.class_names[c]);
  if (!single.empty())
    log().warn("{}: {} of {} classes have one row, which cannot be in all parts: {}", parts.dataset.name, single.size(),
               counts.size(), join_first(single, kNamedClasses));
}

// A number that is always the same cannot be learned.
void tell_constant_targets(const DataParts& parts) {
  const at::Tensor targets = parts.dataset.targets;
  const at::Tensor constant = std::get<0>(targets.min(0)).eq(std::get<0>(targets.max(0)));
  if (constant.any().item<bool>())
    log().warn("{}: {} of {} targets have the same value in every row: there is nothing to learn", parts.dataset.name,
               constant.sum().item<int64_t>(), constant.numel());
}

// Classes that a split leaves without training rows can never be predicted; others are not judged.
void tell_missing_classes(const DataParts& parts) {
  const std::pair<const char*, const std::vector<int64_t>*> all[] = {
      {"training", &parts.split.train}, {"validation", &parts.split.validation}, {"test", &parts.split.test}};
  for (const auto& [part, rows] : all) {
    if (rows->empty()) continue;
    const std::vector<int64_t> counts = parts.dataset.class_counts(*rows);
    std::vector<std::string> missing;
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (counts[c] == 0) missing.push_back(parts.dataset.class_names[c]);
    if (!missing.empty())
      log().warn("{}: {} of {} classes have no {} rows: {}", parts.dataset.name, missing.size(), counts.size(), part,
                 join_first(missing, kNamedClasses));
  }
}

}  // namespace

std::string fingerprint_of(const data::Dataset& dataset) {
  Sha256 hash;
  if (dataset.pictures)
    for (int64_t row = 0; row < dataset.size(); ++row) hash.update(dataset.pictures->identity(row) + "\n");
  else
    hash.update(dataset.inputs.const_data_ptr(), dataset.inputs.nbytes());
  hash.update(dataset.targets.const_data_ptr(), dataset.targets.nbytes());
  return hash.hex();
}

int64_t DataParts::outputs() const { return classification() ? dataset.classes() : dataset.targets.size(1); }

DataParts load_data(const RunOptions& options) {
  const auto split_seed = static_cast<uint64_t>(options.data.split_seed.value_or(options.seed));
  data::DataOptions source = options.data.source;
  source.seed = split_seed;
  DataParts parts;
  parts.dataset = data::load_dataset(source);
  parts.fingerprint = fingerprint_of(parts.dataset);
  set_picture_form(options, parts.dataset);
  tell_mixed_validation(options, parts.dataset);
  data::SplitOptions split;
  split.seed = split_seed;
  split.train_size = options.data.train_size;
  split.validation_frac = options.data.validation_frac;
  split.official_validation = official_validation(options, parts.dataset);
  split.test_frac = options.data.test_frac;
  split.stratified = options.data.stratified && parts.classification();
  parts.split = data::make_split(parts.dataset, split);
  if (parts.split.train.empty())
    throw Error(ErrorKind::kData, "data: " + source.name +
                                      " has no training rows here, expected its training files beside the test files");
  tell_drawn_test(parts, options.data.test_frac);
  if (parts.classification()) {
    tell_single_rows(parts);
    tell_missing_classes(parts);
  } else {
    tell_constant_targets(parts);
  }
  parts.normalisation =
      data::fit_normalisation(parts.dataset, parts.split.train, options.data.scaling, options.data.scaling != "none");
  return parts;
}

namespace {

std::string difference_text(const RunDirectory& directory, const data::Dataset& dataset) {
  const std::string changed = changed_files(directory, dataset);
  return changed.empty() ? "; read now: " + dataset.description : "; " + changed;
}

}  // namespace

void check_same_data(const RunDirectory& directory, const DataParts& data) {
  const std::string saved = directory.data_sha256();
  if (!saved.empty() && saved != data.fingerprint)
    throw Error(ErrorKind::kData, directory.path() + ": the run's data have SHA-256 " + saved.substr(0, 12) +
                                      "..., these have " + data.fingerprint.substr(0, 12) +
                                      "..., expected the same data set" + difference_text(directory, data.dataset));
  if (!directory.has(files::kSplit)) return;
  const data::Split split = data::load_split(directory.file(files::kSplit), data.dataset.size());
  if (split.train != data.split.train || split.validation != data.split.validation || split.test != data.split.test)
    throw Error(ErrorKind::kData, directory.file(files::kSplit) +
                                      ": the run was trained on other rows than its configuration gives now, expected "
                                      "the same version of scorevi and the same keys of data");
}

const std::vector<int64_t>& part_rows(const DataParts& data, const std::string& part) {
  const std::vector<int64_t>& rows = data::rows_of(data.split, part);
  if (rows.empty())
    throw Error(ErrorKind::kUsage, "split: " + part + " has no rows; see data.validation_frac and data.test_frac");
  return rows;
}

std::string evaluated_part(const RunOptions& options, const data::Split& split) {
  const std::string& asked = options.evaluate.split;
  const std::string part = asked != "auto" ? asked : split.test.empty() ? "validation" : "test";
  return data::rows_of(split, part).empty() ? "" : part;
}

}  // namespace scorevi::run
