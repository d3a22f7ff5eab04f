// Rows that a run was trained on or chosen by, where they come again as rows of a test.
#pragma once

#include "experiment.h"
#include "scorevi/data/equal_rows.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

struct SeenRows {
  int64_t test = 0;        // test rows that are training or validation rows of the run
  int64_t validation = 0;  // validation rows that are its training rows
  bool by_name = false;    // picture files that are alike in folder, name and size alone
};

// Counts them in `data`. Picture files are compared with those of the run by their content, or by what pictures.txt
// says of them where these are gone. Rows of the run's own data are found by its split; of other data the run's own,
// `options`, are read again and compared value by value. Where these are gone or have changed nothing is counted, which
// is told in the log. Error(kData): split.json is missing or damaged.
SeenRows seen_rows(const RunDirectory& directory, const RunOptions& options, const DataParts& data,
                   data::CompareRows compare);

// Warns of them where model.weights is a checkpoint of a run.
void tell_rows_of_start(const Experiment& experiment);

// Warns of test rows of one table that are training rows too.
void tell_repeated_rows(const DataParts& data);

}  // namespace scorevi::run
