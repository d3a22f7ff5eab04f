// Predictions of an experiment on rows of its data, and the metrics of them. All may throw Interrupted (core/signals.h)
// between two batches.
#pragma once

#include <memory>
#include <string>

#include "experiment.h"
#include "scorevi/metrics/classification.h"
#include "scorevi/metrics/regression.h"

namespace scorevi::run {

// Averaged log-probabilities [N, C] and mean entropies of single weight samples [N], doubles on the CPU. The views of
// evaluate.views count as samples of their own.
struct ClassPrediction {
  at::Tensor log_probs, expected_entropy, targets;
};
ClassPrediction predict_classes(Experiment& experiment, const std::vector<int64_t>& rows, int64_t samples);
// Entropy of the averaged prediction, and its mutual information with the weights: [N] each, nats, at least 0.
struct Uncertainty {
  at::Tensor entropy, information;
};
Uncertainty uncertainty_of(const ClassPrediction& prediction);
metrics::ClassificationAccumulator accumulate(const ClassPrediction& prediction, int64_t classes, int64_t ece_bins);

// One mixture of S normal distributions per target value, in the units of the data; [max(S, 1), N K].
struct ValuePrediction {
  at::Tensor means, stds, targets;
};
ValuePrediction predict_values(Experiment& experiment, const std::vector<int64_t>& rows, int64_t samples);
// `rows` of the part, as they were predicted. Error(kNumerical) with the row where a prediction is not finite.
metrics::RegressionAccumulator accumulate(const ValuePrediction& prediction, const DataParts& data,
                                          const std::string& part, const std::vector<int64_t>& rows);

// The validation columns of metrics.csv; NaN where the task has no such value.
struct Validation {
  double nll, error, ece, rmse;
  // By the name of the monitor: val_nll, val_error, val_ece, val_rmse.
  double value(const std::string& monitor) const;
};
Validation validate(Experiment& experiment);

}  // namespace scorevi::run
