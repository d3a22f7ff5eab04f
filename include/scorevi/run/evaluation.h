// The numbers of a run on one split, as a report holds them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include "scorevi/data/dataset.h"
#include "scorevi/metrics/bootstrap.h"
#include "scorevi/metrics/calibration.h"

namespace scorevi::run {

// Everything a report shows. Fractions, nats, 95 % bootstrap limits.
struct EvaluationReport {
  std::string run, method, split, task;  // task: classification | regression
  std::int64_t n = 0;
  std::int64_t samples = 0;  // weight samples S, 0 = posterior mean
  std::string checkpoint;    // "best" or "last"
  std::string selection;     // how the checkpoint was chosen, in words
  std::vector<std::pair<std::string, metrics::Interval>>
      values;              // accuracy, error, nll, ece, ece_pooled, brier, mce ...
  metrics::BinTable bins;  // reliability bins (classification)
  int ece_bins = 15;
  double temperature = 0;                           // fitted on validation; 0 = not fitted
  double temperature_nll = 0, temperature_ece = 0;  // of this split after scaling
  std::int64_t nll_clamped = 0;

  struct Confusion {
    std::string target, predicted;
    std::int64_t count;
    double share;
  };
  std::vector<Confusion> confused;  // most confused pairs
  struct Uncertain {
    data::RowPlace place;
    std::string target, predicted;
    double confidence, entropy, mutual_information;
    at::Tensor picture;
  };
  std::vector<Uncertain> uncertain;  // highest entropy first; picture [H, W] or [3, H, W] uint8 where inputs are images
  // One predicted number in the units of the data with its 90 % interval.
  struct Value {
    data::RowPlace place;
    double target, mean, lower, upper;
  };
  std::vector<Value> values_drawn;  // regression: of rows spread over the split, for the picture
  std::vector<Value> worst;         // regression: largest error first
  struct Sigma {
    std::string parameter;
    std::int64_t count;
    double start_median, min, median, max, moved_frac;
  };
  std::vector<Sigma> sigma;  // per parameter tensor; empty for MAP
};

// The JSON of evaluation/report.json: {"run", "method", "split", "n", "samples", "metrics": {"accuracy": {"value",
// "low", "high"}, ...}, "bins": [...], "temperature": ...}; non-finite numbers are null.
nlohmann::json to_json(const EvaluationReport& report);

// The keys of "metrics" in a report.
const std::vector<std::string>& reported_metrics(bool classification);

}  // namespace scorevi::run
