// inputs.json: how inputs looked in training, so that a run can predict new rows without its data set.
#pragma once

#include <string>

#include "experiment.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

void save_inputs(const RunDirectory& directory, const Experiment& experiment);

// The same without rows: task, class and feature names, input scale, normalisation, an empty split; `shape` is the
// shape of one input, and `pictures` says that inputs are pictures of any size, seen in data.dataset.form.
// Error(kData) when the file is missing or damaged.
struct InputForm {
  DataParts data;
  std::vector<int64_t> shape;
  bool pictures = false;
  bool exif_orientation = false;  // files are turned as their cameras noted
};
InputForm load_inputs(const RunDirectory& directory);

}  // namespace scorevi::run
