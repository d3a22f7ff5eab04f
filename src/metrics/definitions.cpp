#include "scorevi/metrics/definitions.h"

namespace scorevi::metrics {

const std::vector<MetricDefinition>& metric_definitions() {
  static const std::vector<MetricDefinition> kTable = {
      {"accuracy", "accuracy", "fraction", "Share of samples whose most probable class is the label.", 1},
      {"error", "error", "fraction", "1 - accuracy.", -1},
      {"top5_accuracy", "top-5 accuracy", "fraction",
       "Share of samples whose label is among the five most probable classes.", 1},
      {"nll", "NLL", "nats",
       "Mean of -ln p(target): of a probability for classes (an exact 0 counts as the smallest normal float and is "
       "reported), of a density for numbers, so that it may be negative.",
       -1},
      {"brier", "Brier score", "0..2",
       "Mean over samples of the squared distance between the probabilities and the label.", -1},
      {"ece", "ECE", "fraction", "Expected calibration error of the largest probability, bins of equal width (lo, hi].",
       -1},
      {"mce", "MCE", "fraction", "Largest gap between accuracy and mean confidence over the non-empty bins of the ECE.",
       -1},
      {"adaptive_ece", "adaptive ECE", "fraction", "ECE with bins that hold equally many samples.", -1},
      {"classwise_ece", "class-wise ECE", "fraction", "Mean over classes of the ECE of that class's probability.", -1},
      {"ece_pooled", "pooled ECE", "fraction",
       "ECE over all N*C probabilities pooled; about C/2 times smaller than the ECE.", -1},
      {"signed_gap", "confidence - accuracy", "fraction", "Mean confidence minus accuracy; positive is over-confident.",
       0},
      {"entropy", "predictive entropy", "nats", "Mean entropy of the averaged prediction.", 0},
      {"mutual_information", "mutual information", "nats",
       "Predictive entropy minus the mean entropy of the weight samples.", 0},
      {"rmse", "RMSE", "target units", "Square root of the MSE.", -1},
      {"mae", "MAE", "target units", "Mean absolute error of the predictive mean.", -1},
      {"crps", "CRPS", "target units", "Mean continuous ranked probability score of the mixture.", -1},
      {"r2", "R²", "up to 1",
       "1 - MSE / variance of the targets: 1 without error, 0 for predicting the mean of these targets every time.", 1},
      {"coverage", "90 % interval coverage", "fraction",
       "Share of targets inside the 90 % predictive interval; 90 % is right, less is over-confident.", 0},
      {"width", "90 % interval width", "target units", "Mean width of the 90 % predictive interval.", -1},
  };
  return kTable;
}

const MetricDefinition* find_metric(std::string_view key) {
  for (const MetricDefinition& m : metric_definitions())
    if (m.key == key) return &m;
  return nullptr;
}

}  // namespace scorevi::metrics
