// The report of a run as one self-contained HTML file, for a browser and for paper.
#pragma once

#include <string>
#include <vector>

#include "scorevi/run/evaluation.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// Headline numbers with intervals and definitions, training curves, standard deviations over time,
// calibration, predictions against targets, confused classes, uncertain inputs, configuration, versions, what to try
// next. Parts without data (no validation, MAP, regression, no metrics.csv) are left out. Reads metrics.csv, run.json
// and config.resolved.yaml of the run. Error(kData) when one is damaged, Error(kRuntime) when `path` cannot be written.
void write_html_report(const RunDirectory& directory, const EvaluationReport& report, const std::string& path);

// Weighted over parameters: the share of standard deviations that training moved by more than 1 %.
// NaN without any.
double moved_share(const EvaluationReport& report);

// Below this share the report warns that the posterior did not learn.
inline constexpr double kLearntShare = 0.1;

// Mean confidence - accuracy over all bins, a fraction; NaN without bins.
double confidence_gap(const EvaluationReport& report);

// A number of the report by its key; NaN without it.
double value_of(const EvaluationReport& report, const std::string& key);

// What the advice depends on besides the numbers.
struct AdviceContext {
  std::string method;      // method.name
  double temperature = 1;  // likelihood.temperature
  bool has_validation = false;
  double last_epoch = 0;     // trained
  double best_epoch = 0;     // with the lowest val_nll; NaN = never evaluated
  bool stops_early = false;  // train.patience > 0
  bool fixed_noise = false;  // likelihood.noise: fixed
  int64_t steps = 0, refused_steps = 0;
  double beta = 0;  // method.beta of the closed form; 0 = another method
};

// Read from metrics.csv, run.json and config.resolved.yaml.
AdviceContext advice_context(const RunDirectory& directory);

// Whether the standard deviations are still about those that they started with, and what to do; "" where they are not.
std::string posterior_advice(const EvaluationReport& report, const AdviceContext& context);

// What to try next, in plain sentences; empty when nothing stands out. Calibration is only judged where it is off by
// more than two standard errors of a calibrated prediction, and where the temperature fitted on validation, if any,
// agrees.
std::vector<std::string> advice(const EvaluationReport& report, const AdviceContext& context);

}  // namespace scorevi::run
