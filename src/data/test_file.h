// A second table that holds the test rows: data.test_path. Private to data.
#pragma once

#include "scorevi/data/dataset.h"
#include "scorevi/data/options.h"

namespace scorevi::data {

// Appends the rows of options.test_path to `dataset`, those of options.path, as the official test part. Error kData
// where both files hold the same rows, or as read_labelled; rows that are in both are told in the log.
void append_test_file(const DataOptions& options, Dataset& dataset);

}  // namespace scorevi::data
