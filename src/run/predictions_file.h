// predictions.csv: one row per evaluated row of the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predictor.h"

namespace scorevi::run {

// Columns: file (for tables), row (of that file, else of the data set, from 1), picture (its file, for sets of
// pictures), target, predicted, correct, confidence, entropy, mutual_information, p_<class> ...
void write_class_predictions(const std::string& path, const data::Dataset& dataset, const std::vector<int64_t>& rows,
                             const ClassPrediction& prediction, const metrics::ClassificationRecords& records);

// Columns: file and row as above, output (0 .. K-1), target, mean, std, lower, upper (90 % interval), nll.
void write_value_predictions(const std::string& path, const data::Dataset& dataset, const std::vector<int64_t>& rows,
                             int64_t outputs, const ValuePrediction& prediction,
                             const metrics::RegressionRecords& records);

}  // namespace scorevi::run
