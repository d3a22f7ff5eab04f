#include "seen_rows.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "data_files.h"
#include "picture_contents.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/data/registry.h"
#include "stored_run.h"

namespace scorevi::run {
namespace {

using Rows = std::vector<int64_t>;

// What is odd about data was told when they were trained on.
class Silence {
 public:
  Silence() : level_(log().level()) { log().set_level(spdlog::level::off); }
  ~Silence() { log().set_level(level_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  spdlog::level::level_enum level_;
};

// `count(rows, known)`: how many of `rows` of the new data are among the rows `known` of the run.
template <class Count>
SeenRows count_parts(const data::Split& own, const data::Split& split, const Count& count) {
  Rows learned_or_chosen = own.train;
  learned_or_chosen.insert(learned_or_chosen.end(), own.validation.begin(), own.validation.end());
  return {count(split.test, learned_or_chosen), count(split.validation, own.train)};
}

SeenRows seen_by_number(const data::Split& own, const data::Split& split) {
  return count_parts(own, split, [](const Rows& rows, const Rows& known) {
    const std::set<int64_t> numbers(known.begin(), known.end());
    return std::count_if(rows.begin(), rows.end(), [&](int64_t row) { return numbers.count(row) > 0; });
  });
}

SeenRows seen_by_name(const std::vector<std::string>& files, const data::Split& own, const DataParts& data) {
  SeenRows seen = count_parts(own, data.split, [&](const Rows& rows, const Rows& known) {
    std::set<std::string> names;
    for (const int64_t row : known) names.insert(files[static_cast<std::size_t>(row)]);
    return std::count_if(rows.begin(), rows.end(),
                         [&](int64_t row) { return names.count(picture_file(data.dataset, row)) > 0; });
  });
  seen.by_name = true;
  return seen;
}

// The files of the run's data set as they are now, those that the run left out among them.
data::Dataset files_now(const RunOptions& options) {
  const Silence silence;
  data::DataOptions source = options.data.source;
  source.on_bad_image = "error";  // of a picture, when it is decoded: nothing is here
  source.cache = "none";
  return data::load_dataset(source);
}

// By content: only files of equal size are read.
SeenRows seen_by_content(const std::vector<std::string>& files, const data::Dataset& trained, const data::Split& own,
                         const DataParts& data) {
  return count_parts(own, data.split, [&](const Rows& rows, const Rows& known) {
    std::set<int64_t> sizes, known_sizes;
    for (const int64_t row : rows) sizes.insert(bytes_of(*data.dataset.pictures, row));
    std::set<std::string> names, contents;
    for (const int64_t row : known) names.insert(files[static_cast<std::size_t>(row)]);
    for (int64_t row = 0; row < trained.size(); ++row) {
      const int64_t bytes = bytes_of(*trained.pictures, row);
      if (sizes.count(bytes) == 0 || names.count(picture_file(trained, row)) == 0) continue;
      known_sizes.insert(bytes);
      contents.insert(content_of(*trained.pictures, row));
    }
    contents.erase("");
    return std::count_if(rows.begin(), rows.end(), [&](int64_t row) {
      return known_sizes.count(bytes_of(*data.dataset.pictures, row)) > 0 &&
             contents.count(content_of(*data.dataset.pictures, row)) > 0;
    });
  });
}

// Whether all files that the run has noted are still there.
bool has_all(const data::Dataset& trained, const std::vector<std::string>& files) {
  std::set<std::string> names;
  for (int64_t row = 0; row < trained.size(); ++row) names.insert(picture_file(trained, row));
  return std::all_of(files.begin(), files.end(), [&](const std::string& file) { return names.count(file) > 0; });
}

SeenRows seen_by_file(const RunDirectory& directory, const RunOptions& options, const DataParts& data) {
  const std::vector<std::string> files = picture_files(directory);
  if (files.empty()) return {};
  const data::Split own = data::load_split(directory.file(files::kSplit), static_cast<int64_t>(files.size()));
  try {
    const data::Dataset trained = files_now(options);
    if (has_all(trained, files)) return seen_by_content(files, trained, own, data);
  } catch (const Error&) {  // its pictures are not there any more
  }
  log().info(
      "{}: the pictures that it was trained on are not there as they were; others are compared with them by "
      "folder, name and size",
      directory.path());
  return seen_by_name(files, own, data);
}

// The run's data; Error(kData) where they are not there or not the same.
DataParts read_again(const RunDirectory& directory, const RunOptions& options) {
  const Silence silence;
  DataParts own = load_data(options);
  check_same_data(directory, own);
  return own;
}

SeenRows seen_by_value(const RunDirectory& directory, const RunOptions& options, const DataParts& data,
                       data::CompareRows compare) {
  try {
    const DataParts own = read_again(directory, options);
    if (own.dataset.pictures && !own.dataset.pictures->in_memory()) return {};
    return count_parts(own.split, data.split, [&](const Rows& rows, const Rows& known) {
      return data::count_known({data.dataset, rows}, {own.dataset, known}, compare);
    });
  } catch (const Error& error) {
    log().info("{}: whether rows are among those it was trained on is not known, its own data cannot be read again: {}",
               directory.path(), error.what());
    return {};
  }
}

void tell(const Experiment& experiment, const RunDirectory& source, const RunOptions& options, const SeenRows& seen) {
  const DataParts& data = experiment.data;
  const int64_t seed = options.data.split_seed.value_or(options.seed);
  const std::string advice = data.fingerprint == source.data_sha256()
                                 ? fmt::format("; its own split is data.split_seed: {}", seed)
                                 : "; expected rows that it has not seen";
  if (seen.test > 0)
    log().warn(
        "model.weights: {} of {} test rows are training or validation rows of {}; the test makes the network look "
        "better than it is{}",
        seen.test, data.split.test.size(), source.path(), advice);
  if (seen.validation > 0)
    log().warn("model.weights: {} of {} validation rows are training rows of {}; checkpoints are chosen by them{}",
               seen.validation, data.split.validation.size(), source.path(), advice);
}

}  // namespace

SeenRows seen_rows(const RunDirectory& directory, const RunOptions& options, const DataParts& data,
                   data::CompareRows compare) {
  if (data.dataset.pictures && !data.dataset.pictures->in_memory()) return seen_by_file(directory, options, data);
  if (!data.fingerprint.empty() && data.fingerprint == directory.data_sha256())
    return seen_by_number(data::load_split(directory.file(files::kSplit), data.dataset.size()), data.split);
  return seen_by_value(directory, options, data, compare);
}

void tell_rows_of_start(const Experiment& experiment) {
  if (experiment.pretrained.path.empty()) return;
  const std::optional<RunDirectory> source = run_of_checkpoint(experiment.pretrained.path);
  if (!source) return;
  try {
    const RunOptions options = load_run_options(*source).options;
    tell(experiment, *source, options,
         seen_rows(*source, options, experiment.data, data::CompareRows::kInputsAndTargets));
  } catch (const Error& error) {
    log().info("model.weights: whether {} was trained on rows of this test is not known: {}", source->path(),
               error.what());
  }
}

void tell_repeated_rows(const DataParts& data) {
  if (data.dataset.files.size() != 1) return;
  const Rows& test = data.split.test;
  const int64_t known =
      data::count_known({data.dataset, test}, {data.dataset, data.split.train}, data::CompareRows::kInputsAndTargets);
  if (known > 0)
    log().warn(
        "{}: {} of {} test rows are training rows too, cell by cell in the columns that are read; the test makes the "
        "network look better than it is; leave copies out, or keep test rows in a file of their own (data.test_path)",
        data.dataset.files.front().path, known, test.size());
}

}  // namespace scorevi::run
