// Comparison of any runs: which belong together, and what tells them apart.
#pragma once

#include <string>
#include <vector>

#include "scorevi/run/table.h"

namespace scorevi::run {

// Reads the given run folders; a folder of runs (a sweep) stands for the finished runs in it. Runs whose configurations
// differ in the seed alone are one row of the table. Its name is the variant of a sweep's member, else the method, with
// the keys of method, optimizer, schedule and posterior that differ between runs of that name: "psm
// (estimator=sampled)". A given run that was evaluated before its end is a row of its own, "psm (interrupted)". Other
// keys that differ become axes of the table. Columns: error, ece, nll for classification, rmse, nll, crps, coverage for
// regression; both for a mixture. Notes: what differs between rows and is not in their names, runs without numbers.
// `baseline` is a row name, or the start of exactly one; "" = no paired differences.
// Error(kData) where no run has numbers, Error(kUsage) for an unknown baseline.
ResultTable compare_runs(const std::vector<std::string>& paths, const std::string& baseline = "");

// table.md, results.csv, report.html in `folder`.
void write_comparison(const ResultTable& table, const std::string& folder);

}  // namespace scorevi::run
