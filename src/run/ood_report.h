// How well a run tells inputs of another kind from its own by their uncertainty.
#pragma once

#include <string>
#include <vector>

#include "experiment.h"
#include "scorevi/metrics/ood.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

struct OodReport {
  std::string in, out;  // data sets
  int64_t in_rows = 0, out_rows = 0, samples = 0;
  struct Score {
    std::string name;
    metrics::OodResult result;
  };
  // entropy, 1 - confidence, and with weight samples the mutual information
  std::vector<Score> scores;
};

// Predicts the rows `in` of the experiment's data, then the test rows of `other`, which takes their place in the
// experiment. Writes ood.json and scores.csv (set, row, one column per score) into `folder` of the run.
OodReport evaluate_ood(Experiment& experiment, const std::vector<int64_t>& in_rows, DataParts other,
                       const RunDirectory& directory, const std::string& folder);

// A table for people.
std::string ood_text(const OodReport& report);

}  // namespace scorevi::run
