#include "evaluate_data.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "inputs_file.h"
#include "new_rows.h"
#include "picture_form.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/data/encode.h"
#include "scorevi/data/registry.h"
#include "scorevi/data/rows.h"
#include "seen_rows.h"
#include "stored_run.h"

namespace scorevi::run {
namespace {

const char* by_what(const SeenRows& seen) { return seen.by_name ? ", by folder, name and size of their files" : ""; }

// Rows that the run was trained on, or chosen by, say nothing about new data: they must not come back as test rows
// through another split, a part or a copy of the same data.
void judge_seen_rows(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& trained_with,
                     const DataParts& data) {
  if (request.split == "train") return;
  const SeenRows seen = seen_rows(directory, trained_with, data, data::CompareRows::kInputsAndTargets);
  const int64_t count = request.split == "test" ? seen.test : seen.validation;
  if (count == 0) return;
  const std::size_t all = part_rows(data, request.split).size();
  const bool own = data.fingerprint == directory.data_sha256();
  if (!seen.by_name && (own || static_cast<std::size_t>(count) == all))
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: the run was trained or selected on {} of these {} {} rows, expected rows that it has "
                    "not seen{}",
                    request.data, count, all, request.split,
                    own ? ": these are the run's own data in another split (data.split_seed, test_frac, ...)" : ""));
  log().warn(
      "{}: the run was trained or selected on {} of these {} {} rows{}; the numbers make it look better than it is",
      request.data, count, all, request.split, by_what(seen));
}

void tell_seen_rows(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& options,
                    const DataParts& data) {
  const SeenRows seen = seen_rows(directory, options, data, data::CompareRows::kInputs);
  if (seen.test > 0)
    log().warn("{}: the run was trained or selected on {} of these {} rows{}, expected rows that are unlike its own",
               request.ood, seen.test, data.split.test.size(), by_what(seen));
}

DataParts own_data(const RunDirectory& directory, const RunOptions& options) {
  try {
    DataParts data = load_data(options);
    check_same_data(directory, data);
    return data;
  } catch (const Error& error) {
    throw Error(error.kind(), error.what() + std::string(kDataAtAnotherPlace) + "; other data: --data CONFIG");
  }
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_config(const std::string& path) { return ends_with(path, ".yaml") || ends_with(path, ".yml"); }

// Gives the classes of `dataset` the numbers that they have in the run.
void use_classes_of_run(const std::string& where, const std::vector<std::string>& trained, data::Dataset& dataset) {
  std::vector<int64_t> number;
  std::vector<std::string> unknown;
  for (const std::string& name : dataset.class_names) {
    const auto found = std::find(trained.begin(), trained.end(), name);
    number.push_back(found - trained.begin());
    if (found == trained.end()) unknown.push_back(name);
  }
  if (!unknown.empty())
    throw Error(ErrorKind::kData, where + ": classes that the run does not have: " + join_first(unknown, 10) +
                                      "; expected some of " + join_first(trained, 10));
  if (dataset.class_names != trained) {
    auto* target = dataset.targets.mutable_data_ptr<int64_t>();
    for (int64_t row = 0; row < dataset.size(); ++row) target[row] = number[static_cast<std::size_t>(target[row])];
  }
  dataset.class_names = trained;
}

// All rows of `dataset` as test rows for the run's network.
DataParts as_test_rows(data::Dataset dataset, const InputForm& own) {
  DataParts data;
  data.dataset = std::move(dataset);
  data.fingerprint = fingerprint_of(data.dataset);
  data.normalisation = own.data.normalisation;
  data.split.test = data::rows_between(0, data.dataset.size());
  data.split.train = data.split.test;  // a posterior cannot be built without training rows
  return data;
}

DataParts labelled_table(const std::string& path, const RunOptions& options, const InputForm& own) {
  if (options.data.source.name != "csv")
    throw Error(ErrorKind::kUsage, path + ": the run was not trained on a table, expected a configuration (.yaml)");
  data::DataOptions source = options.data.source;
  source.path = path;
  return as_test_rows(data::read_labelled(source, own.data.dataset), own);
}

// Pictures in one folder per class.
DataParts labelled_folder(const std::string& path, const RunOptions& options, const InputForm& own) {
  if (!own.pictures)
    throw Error(ErrorKind::kUsage,
                path + ": the run was not trained on picture files, expected a configuration (.yaml)");
  data::DataOptions source;
  source.name = "image_folder";
  source.root = path;
  source.on_bad_image = options.data.source.on_bad_image;
  source.exif_orientation = own.exif_orientation;
  data::Dataset dataset = data::datasets().make(source.name, source);  // of one class too
  dataset.form = for_any_size(own.data.dataset.form);
  return as_test_rows(std::move(dataset), own);
}

// The data of another configuration as the run's network sees inputs.
DataParts other_data(const std::string& config, const RunOptions& options, const EvaluateOverrides& overrides,
                     const InputForm& own) {
  RunOptions asked = options;
  asked.data = load_options(config, overrides.data).options.data;
  asked.data.source.exif_orientation = own.exif_orientation;
  DataParts data = load_data(asked);
  data.normalisation = own.data.normalisation;
  if ((data.dataset.pictures != nullptr) != own.pictures)
    throw Error(ErrorKind::kData, config + ": data set " + data.dataset.name + " has " +
                                      (own.pictures ? "no pictures, and the run was trained on some"
                                                    : "pictures, and the run was trained on none"));
  if (own.pictures) data.dataset.form = for_any_size(own.data.dataset.form);
  if (data.dataset.input_shape() != own.shape || data.dataset.task != own.data.dataset.task)
    throw Error(ErrorKind::kData, config + ": data set " + data.dataset.name +
                                      " does not fit the run's network, expected inputs and targets as of " +
                                      own.data.dataset.name);
  return data;
}

}  // namespace

EvaluateOverrides split_overrides(const EvaluateRequest& request) {
  const bool has_other = is_config(request.data) || (!request.ood.empty() && !is_folder(request.ood));
  EvaluateOverrides overrides;
  for (const std::string& text : request.overrides) {
    const bool of_data = has_other && text.rfind("data.", 0) == 0;
    (of_data ? overrides.data : overrides.run).push_back(text);
  }
  return overrides;
}

DataParts evaluated_data(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& options,
                         const EvaluateOverrides& overrides) {
  if (request.data.empty()) return own_data(directory, options);
  InputForm own = load_inputs(directory);
  // -s data.target names the column of --data, and changes nothing of what the run was trained on.
  RunOptions trained_with = options;
  trained_with.data.source.target = load_run_options(directory).options.data.source.target;
  if (options.data.source.target != trained_with.data.source.target) own.data.dataset.columns.target.clear();
  DataParts data = is_folder(request.data)   ? labelled_folder(request.data, options, own)
                   : is_config(request.data) ? other_data(request.data, options, overrides, own)
                                             : labelled_table(request.data, options, own);
  const data::Dataset& trained = own.data.dataset;
  use_classes_of_run(request.data, trained.class_names, data.dataset);
  data::check_dataset(data.dataset);
  if (data.outputs() != own.data.outputs() || data.dataset.feature_names != trained.feature_names)
    throw Error(ErrorKind::kData, request.data + ": data set " + data.dataset.name +
                                      " does not fit the run's network, expected the columns and targets of " +
                                      trained.name);
  judge_seen_rows(request, directory, trained_with, data);
  if (request.split != "validation")
    data.split.validation.clear();  // a temperature is fitted on the run's own data only
  return data;
}

DataParts ood_data(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& options,
                   const EvaluateOverrides& overrides) {
  const InputForm own = load_inputs(directory);
  if (!own.data.classification())
    throw Error(ErrorKind::kUsage, "evaluate: --ood compares class predictions, and the run predicts numbers");
  if (is_folder(request.ood)) {
    if (!own.pictures)
      throw Error(ErrorKind::kUsage,
                  "evaluate: --ood: got a folder, but the run was not trained on picture files, "
                  "expected a configuration");
    DataParts data = read_new_rows({request.ood}, directory).data;
    data.split.test = std::move(data.split.train);
    tell_seen_rows(request, directory, options, data);
    return data;
  }
  DataParts data = other_data(request.ood, options, overrides, own);
  std::vector<int64_t> rows = data::rows_of(data.split, request.split);
  if (rows.empty()) rows = data::rows_between(0, data.dataset.size());
  data.split.test = std::move(rows);
  tell_seen_rows(request, directory, options, data);
  data.dataset.class_names = own.data.dataset.class_names;
  data.dataset.targets.zero_();
  return data;
}

std::string name_of_other(const std::string& given, const EvaluateOverrides& overrides) {
  if (is_folder(given)) return std::filesystem::canonical(given).filename().string();
  if (!is_config(given)) return std::filesystem::path(given).stem().string();
  const data::DataOptions source = load_options(given, overrides.data).options.data.source;
  const std::filesystem::path root = std::filesystem::path(source.root).lexically_normal();
  std::string place = std::filesystem::path(source.path).stem().string();
  if (place.empty()) place = (root.has_filename() ? root : root.parent_path()).filename().string();
  return place.empty() ? source.name : source.name + "-" + place;
}

}  // namespace scorevi::run
