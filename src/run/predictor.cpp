#include "predictor.h"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <torch/torch.h>

#include "scorevi/core/check.h"
#include "scorevi/core/signals.h"
#include "scorevi/posterior/predict.h"

namespace scorevi::run {
namespace {

// Batches of a small set are prepared once and kept for all weight samples; larger sets are read again each time.
constexpr int64_t kKeptBytes = int64_t{256} << 20;

posterior::EachBatch all_batches(const data::Loader& loader, int64_t row_bytes) {
  if (loader.size() * row_bytes > kKeptBytes)
    return [loader](const posterior::VisitBatch& visit) {
      data::BatchStream stream = loader.stream(0);
      std::optional<data::Batch> batch;
      for (int64_t row = 0; row < loader.size(); row += batch->inputs.size(0)) {
        batch = stream.next();
        visit(row, batch->inputs);
      }
    };
  std::vector<at::Tensor> kept;
  for (int64_t b = 0; b < loader.batches(); ++b) kept.push_back(loader.get(0, b).inputs);
  return [kept](const posterior::VisitBatch& visit) {
    int64_t row = 0;
    for (const at::Tensor& inputs : kept) {
      visit(row, inputs);
      row += inputs.size(0);
    }
  };
}

// The same, ended by a signal between two batches.
posterior::EachBatch batches_of(const data::Loader& loader, int64_t row_bytes) {
  const posterior::EachBatch each_batch = all_batches(loader, row_bytes);
  return [each_batch](const posterior::VisitBatch& visit) {
    each_batch([&visit](int64_t row, const at::Tensor& inputs) {
      stop_if_signalled();
      visit(row, inputs);
    });
  };
}

int64_t row_bytes(const Experiment& experiment) {
  int64_t bytes = sizeof(float);
  for (const int64_t size : experiment.data.dataset.input_shape()) bytes *= size;
  return bytes;
}

posterior::EachBatch batches_of(const Experiment& experiment, const std::vector<int64_t>& rows, int64_t view = 0) {
  return batches_of(evaluation_loader(experiment.options, experiment.data, rows, view), row_bytes(experiment));
}

at::Tensor target_rows(const Experiment& experiment, const std::vector<int64_t>& rows) {
  return experiment.data.dataset.targets.index_select(0, torch::tensor(rows, torch::kInt64));
}

posterior::PredictOptions predict_options(const Experiment& experiment, int64_t samples) {
  const bool point = experiment.options.method.is_point();
  posterior::EachBatch statistics;
  if (experiment.recalibration) statistics = batches_of(*experiment.recalibration, row_bytes(experiment));
  return {point ? 0 : samples, static_cast<uint64_t>(experiment.options.seed), statistics};
}

}  // namespace

ClassPrediction predict_classes(Experiment& experiment, const std::vector<int64_t>& rows, int64_t samples) {
  const int64_t views = view_count(experiment.options, experiment.data);
  const posterior::PredictOptions options = predict_options(experiment, samples);
  ClassPrediction result{{}, {}, target_rows(experiment, rows)};
  for (int64_t view = 0; view < views; ++view) {
    const metrics::LogMeanExp average =
        posterior::predict_classes(*experiment.target, *experiment.family, batches_of(experiment, rows, view),
                                   static_cast<int64_t>(rows.size()), experiment.data.outputs(), options);
    const at::Tensor log_mean = average.log_mean() - std::log(static_cast<double>(views));
    const at::Tensor entropy = average.expected_entropy() / static_cast<double>(views);
    result.log_probs = view == 0 ? log_mean : at::logaddexp(result.log_probs, log_mean);
    result.expected_entropy = view == 0 ? entropy : result.expected_entropy + entropy;
  }
  return result;
}

Uncertainty uncertainty_of(const ClassPrediction& prediction) {
  const at::Tensor terms = (prediction.log_probs.exp() * prediction.log_probs).nan_to_num(0);  // 0 log 0 = 0
  const at::Tensor entropy = terms.sum(1).neg().clamp_min(0);
  return {entropy, (entropy - prediction.expected_entropy).clamp_min(0)};
}

metrics::ClassificationAccumulator accumulate(const ClassPrediction& prediction, int64_t classes, int64_t ece_bins) {
  metrics::ClassificationOptions options;
  options.bins = static_cast<int>(ece_bins);
  metrics::ClassificationAccumulator accumulator(static_cast<int>(classes), options);
  accumulator.add(prediction.log_probs, prediction.targets, prediction.expected_entropy);
  return accumulator;
}

ValuePrediction predict_values(Experiment& experiment, const std::vector<int64_t>& rows, int64_t samples) {
  const posterior::MixturePrediction mixture =
      posterior::predict_values(*experiment.target, *experiment.family, batches_of(experiment, rows),
                                static_cast<int64_t>(rows.size()), predict_options(experiment, samples));
  const data::Affine& scale = experiment.data.normalisation.targets;
  const int64_t outputs = experiment.data.outputs();
  ValuePrediction result{mixture.means, mixture.stds, target_rows(experiment, rows).to(torch::kDouble).flatten()};
  if (!scale.mean.empty()) {
    const at::Tensor mean = torch::tensor(scale.mean, torch::kFloat).to(torch::kDouble);
    const at::Tensor std = torch::tensor(scale.std, torch::kFloat).to(torch::kDouble);
    const std::vector<int64_t> split = {mixture.means.size(0), static_cast<int64_t>(rows.size()), outputs};
    result.means = (mixture.means.view(split) * std + mean).flatten(1);
    result.stds = (mixture.stds.view(split) * std).flatten(1);
  }
  return result;
}

metrics::RegressionAccumulator accumulate(const ValuePrediction& prediction, const DataParts& data,
                                          const std::string& part, const std::vector<int64_t>& rows) {
  metrics::RegressionOptions options;
  options.before_target = stop_if_signalled;
  options.name_of = [&](int64_t target) {
    const data::RowPlace place = data.dataset.place_of(rows[static_cast<std::size_t>(target / data.outputs())]);
    return fmt::format("{} row {}{}", part, place.row, place.file.empty() ? "" : " in " + place.file);
  };
  metrics::RegressionAccumulator accumulator(options);
  accumulator.add(prediction.means, prediction.stds, prediction.targets);
  return accumulator;
}

double Validation::value(const std::string& monitor) const {
  if (monitor == "val_error") return error;
  if (monitor == "val_ece") return ece;
  if (monitor == "val_rmse") return rmse;
  SCOREVI_CHECK_OP(monitor, ==, "val_nll");
  return nll;
}

Validation validate(Experiment& experiment) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<int64_t>& rows = experiment.data.split.validation;
  const RunOptions& options = experiment.options;
  if (experiment.data.classification()) {
    const ClassPrediction prediction = predict_classes(experiment, rows, options.train.eval_samples);
    const metrics::ClassificationResult result =
        accumulate(prediction, experiment.data.outputs(), options.evaluate.ece_bins).result();
    return {result.nll, 1 - result.accuracy, result.ece, kNaN};
  }
  const metrics::RegressionResult result =
      accumulate(predict_values(experiment, rows, options.train.eval_samples), experiment.data, "validation", rows)
          .result();
  return {result.nll, kNaN, kNaN, result.rmse};
}

}  // namespace scorevi::run
