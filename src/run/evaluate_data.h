// What `scorevi evaluate` predicts.
#pragma once

#include "experiment.h"
#include "scorevi/run/commands.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// Overrides of the command line: with --data or --ood, `-s data.KEY=VALUE` changes that configuration, everything else
// the run's.
struct EvaluateOverrides {
  std::vector<std::string> run, data;
};
EvaluateOverrides split_overrides(const EvaluateRequest& request);

// The run's data, or with --data other ones, scaled as the run's training data were. Error(kData) where they are not
// what the run was trained on, or do not fit it; Error(kUsage) for the run's own data in another split, and for rows
// that the run has seen all of; where it has seen some that is told in the log.
DataParts evaluated_data(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& options,
                         const EvaluateOverrides& overrides);

// The rows of --ood, in split.test: pictures of a folder, or of another configuration the part that is asked for (all
// rows where it is empty). Classes are those of the run, targets are placeholders that nothing reads.
DataParts ood_data(const EvaluateRequest& request, const RunDirectory& directory, const RunOptions& options,
                   const EvaluateOverrides& overrides);

// What --data or --ood is called in the names of folders: "csv-measured" for measured.csv, "dtd", "pets" for a folder.
std::string name_of_other(const std::string& given, const EvaluateOverrides& overrides);

}  // namespace scorevi::run
