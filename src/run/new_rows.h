// Rows that a run has never seen, for `scorevi predict`.
#pragma once

#include <string>
#include <vector>

#include "data_parts.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

struct NewRows {
  struct Origin {
    std::string file;
    int64_t row;  // within the file, from 1
  };
  std::vector<Origin> origins;
  // As the run's network sees them; all rows are in split.train, targets are placeholders that nothing reads.
  DataParts data;
};

// CSV and idx files, or pictures and folders of them, as the run was trained on. Pictures that cannot be read are told
// and left out. Error(kData): missing or damaged files, or inputs of another form than the run's.
NewRows read_new_rows(const std::vector<std::string>& inputs, const RunDirectory& directory);

}  // namespace scorevi::run
