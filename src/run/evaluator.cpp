#include "evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <torch/torch.h>

#include "json_file.h"
#include "picture_checks.h"
#include "predictions_file.h"
#include "predictor.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/metrics/bootstrap.h"
#include "scorevi/metrics/confusion.h"
#include "scorevi/metrics/reliability_plot.h"
#include "scorevi/metrics/temperature.h"
#include "scorevi/run/html_report.h"
#include "sigma_summary.h"
#include "stored_run.h"
#include "thumbnail.h"

namespace scorevi::run {
namespace {

constexpr std::size_t kShownConfusions = 10;
constexpr std::size_t kShownUncertain = 24;
constexpr std::size_t kDrawnValues = 200;
constexpr std::size_t kShownWorst = 10;

metrics::BootstrapOptions bootstrap_options(const RunOptions& options) {
  metrics::BootstrapOptions bootstrap;
  bootstrap.resamples = static_cast<int>(options.evaluate.bootstrap);
  bootstrap.seed = static_cast<uint64_t>(options.seed);
  bootstrap.before_resample = stop_if_signalled;
  return bootstrap;
}

void add_confusions(const metrics::ClassificationRecords& records, const data::Dataset& dataset,
                    EvaluationReport& report) {
  for (const metrics::ConfusedPair& pair :
       metrics::most_confused(records, static_cast<int>(dataset.classes()), kShownConfusions))
    report.confused.push_back({dataset.class_names[static_cast<std::size_t>(pair.target)],
                               dataset.class_names[static_cast<std::size_t>(pair.predicted)], pair.count, pair.share});
}

void add_uncertain(const metrics::ClassificationRecords& records, const data::Dataset& dataset,
                   const std::vector<int64_t>& rows, EvaluationReport& report) {
  for (const std::size_t i : metrics::largest(records.entropy, kShownUncertain)) {
    const double information = records.expected_entropy.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                                : records.entropy[i] - records.expected_entropy[i];
    report.uncertain.push_back({dataset.place_of(rows[i]),
                                dataset.class_names[static_cast<std::size_t>(records.target[i])],
                                dataset.class_names[static_cast<std::size_t>(records.predicted[i])],
                                records.confidence[i], records.entropy[i], information, thumbnail(dataset, rows[i])});
  }
}

// T from the validation split, and what it does to this part.
void add_temperature(Experiment& experiment, const ClassPrediction& prediction, EvaluationReport& report) {
  const std::vector<int64_t>& validation = experiment.data.split.validation;
  if (validation.empty() || report.split == "validation") return;  // not on the rows that it is judged by
  const ClassPrediction fitted = predict_classes(experiment, validation, experiment.options.evaluate.samples);
  const metrics::TemperatureFit fit = metrics::fit_temperature(fitted.log_probs, fitted.targets);
  if (fit.where != metrics::TemperatureFit::Where::kInterior) {
    log().info(
        "temperature scaling: the {} validation rows have no best temperature between {:g} and {:g}, as where none of "
        "them is wrong",
        validation.size(), metrics::kMinTemperature, metrics::kMaxTemperature);
    return;
  }
  ClassPrediction scaled = prediction;
  scaled.log_probs = metrics::apply_temperature(prediction.log_probs, fit.temperature);
  scaled.expected_entropy = at::Tensor();
  const metrics::ClassificationResult result =
      accumulate(scaled, experiment.data.outputs(), experiment.options.evaluate.ece_bins).result();
  report.temperature = fit.temperature;
  report.temperature_nll = result.nll;
  report.temperature_ece = result.ece;
}

void evaluate_classes(Experiment& experiment, const std::vector<int64_t>& rows, const std::string& predictions_path,
                      EvaluationReport& report) {
  const data::Dataset& dataset = experiment.data.dataset;
  const ClassPrediction prediction = predict_classes(experiment, rows, report.samples);
  refuse_all_grey(dataset, rows);
  const metrics::ClassificationAccumulator accumulator =
      accumulate(prediction, dataset.classes(), experiment.options.evaluate.ece_bins);
  const metrics::ClassificationResult result = accumulator.result();
  const metrics::ClassificationIntervals intervals =
      metrics::bootstrap_classification(accumulator, bootstrap_options(experiment.options));
  report.task = "classification";
  const metrics::Interval& accuracy = intervals.accuracy;
  report.values = {{"accuracy", accuracy},
                   {"error", {1 - accuracy.value, 1 - accuracy.high, 1 - accuracy.low}},
                   {"nll", intervals.nll},
                   {"ece", intervals.ece},
                   {"ece_pooled", intervals.ece_pooled},
                   {"brier", intervals.brier},
                   {"mce", intervals.mce}};
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, double>>{{"adaptive_ece", result.adaptive_ece},
                                                   {"classwise_ece", result.classwise_ece},
                                                   {"signed_gap", result.signed_gap},
                                                   {"entropy", result.entropy},
                                                   {"mutual_information", result.mutual_information},
                                                   {"top5_accuracy", result.top5_accuracy}}) {
    metrics::Interval point;
    point.value = value;
    report.values.emplace_back(name, point);
  }
  report.bins = result.table;
  report.nll_clamped = result.nll_clamped;
  add_confusions(accumulator.records(), dataset, report);
  add_uncertain(accumulator.records(), dataset, rows, report);
  add_temperature(experiment, prediction, report);
  write_class_predictions(predictions_path, dataset, rows, prediction, accumulator.records());
}

// 1 - squared errors / squares around the mean of each output; NaN where the targets are all alike.
double explained(const ValuePrediction& prediction, int64_t outputs, double mse) {
  const at::Tensor targets = prediction.targets.view({-1, outputs});
  const double variance = (targets - targets.mean(/*dim=*/0)).square().mean().item<double>();
  return variance > 0 ? 1 - mse / variance : std::numeric_limits<double>::quiet_NaN();
}

void add_values(const data::Dataset& dataset, const metrics::RegressionRecords& records,
                const ValuePrediction& prediction, const std::vector<int64_t>& rows, EvaluationReport& report) {
  const at::Tensor targets = prediction.targets.contiguous();
  const double* target = targets.const_data_ptr<double>();
  const std::size_t per_row = records.size() / rows.size();
  const auto value = [&](std::size_t i) {
    return EvaluationReport::Value{dataset.place_of(rows[i / per_row]), target[i], records.mean[i], records.lower[i],
                                   records.upper[i]};
  };
  const std::size_t drawn = std::min(kDrawnValues, records.size());
  for (std::size_t i = 0; i < drawn; ++i) report.values_drawn.push_back(value(i * records.size() / drawn));
  for (const std::size_t i : metrics::largest(records.absolute_error, kShownWorst)) report.worst.push_back(value(i));
}

void evaluate_values(Experiment& experiment, const std::vector<int64_t>& rows, const std::string& predictions_path,
                     EvaluationReport& report) {
  const ValuePrediction prediction = predict_values(experiment, rows, report.samples);
  const metrics::RegressionAccumulator accumulator = accumulate(prediction, experiment.data, report.split, rows);
  const metrics::RegressionResult result = accumulator.result();
  const metrics::RegressionRecords& records = accumulator.records();
  const metrics::BootstrapOptions options = bootstrap_options(experiment.options);
  report.task = "regression";
  metrics::Interval rmse = metrics::bootstrap_mean(records.squared_error, options);
  report.values = {{"rmse", {std::sqrt(rmse.value), std::sqrt(rmse.low), std::sqrt(rmse.high)}},
                   {"mae", metrics::bootstrap_mean(records.absolute_error, options)},
                   {"nll", metrics::bootstrap_mean(records.nll, options)},
                   {"crps", metrics::bootstrap_mean(records.crps, options)},
                   {"coverage", metrics::bootstrap_mean({records.inside.begin(), records.inside.end()}, options)}};
  metrics::Interval width, r2;
  width.value = result.width;
  r2.value = explained(prediction, experiment.data.outputs(), result.mse);
  report.values.emplace_back("width", width);
  report.values.emplace_back("r2", r2);
  add_values(experiment.data.dataset, records, prediction, rows, report);
  write_value_predictions(predictions_path, experiment.data.dataset, rows, experiment.data.outputs(), prediction,
                          records);
}

std::string selection_text(const RunOptions& options, const std::string& checkpoint) {
  if (checkpoint == "best")
    return "the checkpoint with the lowest " + options.train.monitor + " on the validation split";
  return "the weights after the last step";
}

// "epoch 3"; best checkpoints of earlier versions know their step alone.
std::string age_of(const params::StateDict& checkpoint) {
  const int64_t step = checkpoint.get_int("run.step");
  const char* const per_epoch = "run.batches_per_epoch";
  if (checkpoint.metadata.count(per_epoch) == 0) return fmt::format("step {}", step);
  const int64_t steps = std::max<int64_t>(1, checkpoint.get_int(per_epoch));
  return fmt::format("epoch {:.4g}", static_cast<double>(step) / static_cast<double>(steps));
}

}  // namespace

std::string load_weights(Experiment& experiment, const RunDirectory& directory) {
  std::string which = experiment.options.evaluate.checkpoint;
  const bool choose = which == "auto";
  if (choose) which = directory.has(files::kBest) ? "best" : "last";
  std::vector<std::string> prefixes = {"buffer."};
  for (const auto& parameter : experiment.family->parameters()) prefixes.push_back(parameter.first + ".");
  const params::StateDict dict =
      load_run_checkpoint(directory, which == "best" ? files::kBest : files::kLast, prefixes);
  if (choose && which == "last" && dict.get_int("run.best_step") >= 0)
    log().warn("{}: is missing, though the run had written it after step {}; the last weights are used",
               directory.file(files::kBest), dict.get_int("run.best_step"));
  experiment.family->load(dict, experiment.target->layout());
  load_buffers(*experiment.network, dict);
  log().info("weights: {}, after {}", directory.file(which == "best" ? files::kBest : files::kLast), age_of(dict));
  return which;
}

EvaluationReport evaluate_part(Experiment& experiment, const RunDirectory& directory, const std::string& part,
                               const std::string& checkpoint, const std::string& folder) {
  const std::vector<int64_t>& rows = part_rows(experiment.data, part);
  const RunOptions& options = experiment.options;
  directory.make_folder(folder);
  EvaluationReport report;
  report.run = directory.path();
  report.method = options.method.name;
  report.split = part;
  report.n = static_cast<int64_t>(rows.size());
  report.samples = options.method.is_point() ? 0 : options.evaluate.samples;
  report.checkpoint = checkpoint;
  report.selection = selection_text(options, checkpoint);
  report.ece_bins = static_cast<int>(options.evaluate.ece_bins);
  report.sigma = sigma_by_parameter(*experiment.family, experiment.target->layout(),
                                    initial_stds(options, experiment.target->layout()));
  const std::string predictions = directory.file(folder + "/predictions.csv");
  if (experiment.data.classification())
    evaluate_classes(experiment, rows, predictions, report);
  else
    evaluate_values(experiment, rows, predictions, report);
  if (experiment.data.classification())
    write_file_atomic(directory.file(folder + "/reliability.svg"), metrics::reliability_plot(report.bins));
  write_html_report(directory, report, directory.file(folder + "/report.html"));
  write_json(directory.file(folder + "/report.json"), to_json(report));
  const std::string told = posterior_advice(report, advice_context(directory));
  if (!told.empty()) log().warn("{}", told);
  return report;
}

std::string summary_text(const EvaluationReport& report) {
  std::string text =
      fmt::format("{} on {} ({} rows, {})\n", report.method, report.split, report.n,
                  report.samples > 0 ? fmt::format("{} weight samples", report.samples) : "point prediction");
  const auto add = [&](const std::string& key, const std::string& title, double scale, const char* unit) {
    for (const auto& [name, interval] : report.values)
      if (name == key && !std::isnan(interval.value))
        text += fmt::format("  {:<22} {:8.4g}{}{}\n", title, scale * interval.value, unit,
                            std::isfinite(interval.low)
                                ? fmt::format("  [{:.4g}, {:.4g}]", scale * interval.low, scale * interval.high)
                                : "");
  };
  add("error", "error", 100, " %");
  add("ece", fmt::format("ECE ({} bins)", report.ece_bins), 100, " %");
  add("rmse", "RMSE", 1, "");
  add("r2", "R²", 1, "");
  add("mae", "MAE", 1, "");
  add("nll", "NLL (nats)", 1, "");
  add("brier", "Brier score", 1, "");
  add("crps", "CRPS", 1, "");
  add("coverage", "90 % interval covers", 100, " %");
  return text + "  in brackets: 95 % bootstrap limits over the rows\n";
}

}  // namespace scorevi::run
