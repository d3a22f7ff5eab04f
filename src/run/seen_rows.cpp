#include "seen_rows.h"

#include <algorithm>
#include <map>
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

// The files of the run's data set as they are now, those that the run left out among them.
data::Dataset files_now(const RunOptions& options) {
  const Silence silence;
  data::DataOptions source = options.data.source;
  source.on_bad_image = "error";  // of a picture, when it is decoded: nothing is here
  source.cache = "none";
  return data::load_dataset(source);
}

// For each picture that the run has noted its row in `now`, -1 where it is gone. Both have them in the same order, and
// others may have come since.
Rows places_in(const data::Dataset& now, const std::vector<std::string>& noted) {
  std::map<std::string, Rows> rows_of;
  for (int64_t row = 0; row < now.size(); ++row) rows_of[picture_file(now, row)].push_back(row);
  Rows places;
  int64_t next = 0;
  for (const std::string& file : noted) {
    const Rows& rows = rows_of[file];
    const auto found = std::lower_bound(rows.begin(), rows.end(), next);
    places.push_back(found == rows.end() ? -1 : *found);
    if (found != rows.end()) next = *found + 1;
  }
  return places;
}

// By content, of files of equal size alone; by name where a picture of the run is gone.
SeenRows seen_by_file(const RunDirectory& directory, const RunOptions& options, const DataParts& data) {
  const std::vector<std::string> noted = picture_files(directory);
  if (noted.empty()) return {};
  const data::Split own = data::load_split(directory.file(files::kSplit), static_cast<int64_t>(noted.size()));
  data::Dataset now;
  Rows places(noted.size(), -1);
  try {
    now = files_now(options);
    places = places_in(now, noted);
  } catch (const Error&) {  // the whole set is gone
  }
  bool by_name = false;
  std::map<int64_t, std::string> read;  // training pictures are asked for twice
  const auto content_now = [&](int64_t place) -> const std::string& {
    const auto [found, is_new] = read.try_emplace(place);
    if (is_new) found->second = content_of(*now.pictures, place);
    return found->second;
  };
  SeenRows seen = count_parts(own, data.split, [&](const Rows& rows, const Rows& known) {
    const data::Pictures& pictures = *data.dataset.pictures;
    std::set<int64_t> sizes, known_sizes;
    for (const int64_t row : rows) sizes.insert(bytes_of(pictures, row));
    std::set<std::string> names, contents;
    for (const int64_t row : known) {
      const int64_t place = places[static_cast<std::size_t>(row)];
      if (place < 0) {
        names.insert(noted[static_cast<std::size_t>(row)]);
      } else if (const int64_t bytes = bytes_of(*now.pictures, place); sizes.count(bytes) > 0) {
        known_sizes.insert(bytes);
        contents.insert(content_now(place));
      }
    }
    contents.erase("");
    return std::count_if(rows.begin(), rows.end(), [&](int64_t row) {
      if (known_sizes.count(bytes_of(pictures, row)) > 0 && contents.count(content_of(pictures, row)) > 0) return true;
      const bool named = names.count(picture_file(data.dataset, row)) > 0;
      by_name = by_name || named;
      return named;
    });
  });
  seen.by_name = by_name;
  const auto gone = std::count(places.begin(), places.end(), -1);
  if (gone > 0)
    log().warn(
        "{}: {} of its {} pictures are not there any more; whether others are the same is judged by folder, name and "
        "size",
        directory.path(), gone, noted.size());
  return seen;
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
