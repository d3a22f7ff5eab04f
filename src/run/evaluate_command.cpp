#include <filesystem>
#include <numeric>
#include <ostream>

#include "config_diff.h"
#include "evaluator.h"
#include "new_rows.h"
#include "ood_report.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

struct Overrides {
  std::vector<std::string> run, data;
};

// With --data or --ood, `-s data.KEY=VALUE` changes that configuration, everything else the run's.
Overrides split_overrides(const EvaluateRequest& request) {
  const bool has_other = !request.data.empty() || !request.ood.empty();
  Overrides overrides;
  for (const std::string& text : request.overrides) {
    const bool of_data = has_other && text.rfind("data.", 0) == 0;
    (of_data ? overrides.data : overrides.run).push_back(text);
  }
  return overrides;
}

// The data of another configuration, scaled as the run's training data were.
DataParts other_data(const std::string& config, const std::vector<std::string>& overrides, const RunOptions& options,
                     const DataParts& own) {
  RunOptions other = options;
  other.data = load_options(config, overrides).options.data;
  DataParts data = load_data(other);
  data.normalisation = own.normalisation;
  if (data.dataset.pictures && own.dataset.pictures) {
    data.dataset.form = own.dataset.form;
    if (data.dataset.form.resize == 0) data.dataset.form.resize = data.dataset.form.size;  // they come in any size
  }
  if (data.dataset.input_shape() != own.dataset.input_shape() || data.dataset.task != own.dataset.task)
    throw Error(ErrorKind::kData, config + ": data set " + data.dataset.name +
                                      " does not fit the run's network, expected inputs and targets as of " +
                                      own.dataset.name);
  return data;
}

// The run's data, or those of another configuration.
DataParts data_for(const EvaluateRequest& request, const std::vector<std::string>& overrides, const RunOptions& options,
                   DataParts own) {
  if (request.data.empty()) return own;
  DataParts data = other_data(request.data, overrides, options, own);
  const bool same = data.outputs() == own.outputs() && data.dataset.class_names == own.dataset.class_names &&
                    data.dataset.feature_names == own.dataset.feature_names;
  if (!same)
    throw Error(ErrorKind::kData, request.data + ": data set " + data.dataset.name +
                                      " does not fit the run's network, expected the columns and classes of " +
                                      own.dataset.name);
  if (request.split != "validation")
    data.split.validation.clear();  // a temperature is fitted on the run's own data only
  return data;
}

// The part of the other set that goes by the same name, or all of it.
std::vector<int64_t> ood_rows(const DataParts& data, const std::string& split) {
  const std::vector<int64_t>& part = split == "train"        ? data.split.train
                                     : split == "validation" ? data.split.validation
                                                             : data.split.test;
  if (!part.empty()) return part;
  std::vector<int64_t> all(static_cast<std::size_t>(data.dataset.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Pictures of a folder, or the data of a configuration; their rows are predicted as classes of the run.
DataParts ood_data(const EvaluateRequest& request, const std::vector<std::string>& overrides,
                   const RunDirectory& directory, const Experiment& experiment) {
  std::error_code ignored;
  if (std::filesystem::is_directory(request.ood, ignored)) {
    if (!experiment.data.dataset.pictures)
      throw Error(ErrorKind::kUsage,
                  "evaluate: --ood: got a folder, but the run was trained on no pictures, expected a "
                  "configuration");
    DataParts data = read_new_rows({request.ood}, directory).data;
    data.split = {};
    data.dataset.name = std::filesystem::canonical(request.ood).filename().string();
    return data;
  }
  DataParts data = other_data(request.ood, overrides, experiment.options, experiment.data);
  data.dataset.class_names = experiment.data.dataset.class_names;
  data.dataset.targets.zero_();
  return data;
}

void run_ood(const EvaluateRequest& request, const std::vector<std::string>& overrides, const RunDirectory& directory,
             Experiment& experiment, std::ostream& out) {
  if (!experiment.data.classification())
    throw Error(ErrorKind::kUsage, "evaluate: --ood compares class predictions, and the run predicts numbers");
  DataParts other = ood_data(request, overrides, directory, experiment);
  const std::string folder = "evaluation-ood-" + other.dataset.name;
  const std::vector<int64_t> in = part_rows(experiment.data, request.split);
  const std::vector<int64_t> rows = ood_rows(other, request.split);
  out << ood_text(evaluate_ood(experiment, in, std::move(other), rows, directory, folder))
      << "scores: " << directory.file(folder + "/scores.csv") << "\n";
}

}  // namespace

int evaluate(const EvaluateRequest& request, std::ostream& out) {
  const RunDirectory directory = RunDirectory::open(request.run);
  const std::string status = directory.info().value("status", "unknown");
  if (status != status_name(RunStatus::kFinished))
    log().warn("{}: the run is {}, its weights so far are evaluated", directory.path(), status);
  const std::string resolved = directory.file(files::kResolved);
  const Overrides overrides = split_overrides(request);
  const LoadedOptions loaded = load_options(resolved, overrides.run);
  check_evaluable(directory.path(), load_options(resolved).resolved, loaded);
  const RunOptions& options = loaded.options;
  DataParts own = load_data(options);
  check_same_data(directory, own);
  DataParts data = data_for(request, overrides.data, options, std::move(own));
  const std::string other = request.data.empty() ? "" : "-" + data.dataset.name;
  part_rows(data, request.split);
  Experiment experiment = build_experiment(options, std::move(data), Use::kPrediction);
  const std::string checkpoint = load_weights(experiment, directory);
  if (!request.ood.empty()) {
    run_ood(request, overrides.data, directory, experiment, out);
    return 0;
  }
  const bool changed = request.split != "test" || !other.empty() || !request.overrides.empty();
  const std::string folder = changed ? "evaluation-" + request.split + other : "evaluation";
  const EvaluationReport report = evaluate_part(experiment, directory, request.split, checkpoint, folder);
  out << summary_text(report) << "report: " << directory.file(folder + "/report.html") << "\n";
  return 0;
}

}  // namespace scorevi::run
