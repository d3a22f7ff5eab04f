// A data set and its parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/data/dataset.h"
#include "scorevi/data/normalise.h"
#include "scorevi/data/split.h"
#include "scorevi/run/options.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// A data set cut into its parts, with the scaling fitted on the train part.
struct DataParts {
  data::Dataset dataset;
  data::Split split;
  data::Normalisation normalisation;
  std::string fingerprint;  // SHA-256 of the inputs and targets; of picture files their names and sizes

  bool classification() const { return dataset.task == data::Task::kClassification; }
  int64_t outputs() const;  // classes, or columns of the target
};

// Error(kData) for missing or damaged files, Error(kUsage) for a split that cannot be made.
DataParts load_data(const RunOptions& options);

// What DataParts::fingerprint says of a data set.
std::string fingerprint_of(const data::Dataset& dataset);

// Error(kData) when the run was trained on other data (run.json has their SHA-256) or on other rows (split.json).
void check_same_data(const RunDirectory& directory, const DataParts& data);

// Ends the message of an error with a run's own data.
inline constexpr const char kDataAtAnotherPlace[] =
    "\nthe run's data at another place: -s data.path=FILE or -s data.root=DIR";

// Rows of a part: train | validation | test. Error(kUsage) where the part is empty.
const std::vector<int64_t>& part_rows(const DataParts& data, const std::string& part);

// The part of the final evaluation, as evaluate.split says; "" where it has no rows.
std::string evaluated_part(const RunOptions& options, const data::Split& split);

}  // namespace scorevi::run
