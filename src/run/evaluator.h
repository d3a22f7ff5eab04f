// Evaluates a part of a run's data and writes the files of its report.
#pragma once

#include <string>

#include "experiment.h"
#include "scorevi/run/evaluation.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// Loads the weights that evaluate.checkpoint asks for ("best", "last") into the family and returns which it took.
// Error(kData) when there is none.
std::string load_weights(Experiment& experiment, const RunDirectory& directory);

// Predicts a part of the data with the current family, computes metrics with intervals, fits the temperature on the
// validation split, and writes report.json, report.html, reliability.svg and predictions.csv into `folder`
// (relative to the run). Interrupted where a signal is pending (core/signals.h): no report is written then.
EvaluationReport evaluate_part(Experiment& experiment, const RunDirectory& directory, const std::string& part,
                               const std::string& checkpoint, const std::string& folder);

// "error 5.61 % [4.20, 7.12]" and the like, one line per metric, for people.
std::string summary_text(const EvaluationReport& report);

}  // namespace scorevi::run
