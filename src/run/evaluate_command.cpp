#include <ostream>

#include "config_diff.h"
#include "evaluator.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

struct Overrides {
  std::vector<std::string> run, data;
};

// With --data, `-s data.KEY=VALUE` changes that configuration, everything else the run's.
Overrides split_overrides(const EvaluateRequest& request) {
  Overrides overrides;
  for (const std::string& text : request.overrides) {
    const bool of_data = !request.data.empty() && text.rfind("data.", 0) == 0;
    (of_data ? overrides.data : overrides.run).push_back(text);
  }
  return overrides;
}

// The run's data, or those of another configuration scaled as the run's training data were.
DataParts data_for(const EvaluateRequest& request, const std::vector<std::string>& overrides,
                   const RunDirectory& directory, const RunOptions& options) {
  DataParts own = load_data(options);
  check_same_data(directory, own);
  if (request.data.empty()) return own;
  RunOptions other = options;
  other.data = load_options(request.data, overrides).options.data;
  DataParts data = load_data(other);
  const bool same = data.dataset.input_shape() == own.dataset.input_shape() && data.dataset.task == own.dataset.task &&
                    data.outputs() == own.outputs() && data.dataset.class_names == own.dataset.class_names &&
                    data.dataset.feature_names == own.dataset.feature_names;
  if (!same)
    throw Error(ErrorKind::kData, request.data + ": data set " + data.dataset.name +
                                      " does not fit the run's network, expected the columns, shape and classes of " +
                                      own.dataset.name);
  data.normalisation = own.normalisation;
  if (request.split != "validation")
    data.split.validation.clear();  // a temperature is fitted on the run's own data only
  return data;
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
  DataParts data = data_for(request, overrides.data, directory, options);
  const std::string other = request.data.empty() ? "" : "-" + data.dataset.name;
  part_rows(data, request.split);
  Experiment experiment = build_experiment(options, std::move(data), Use::kPrediction);
  const std::string checkpoint = load_weights(experiment, directory);
  const bool changed = request.split != "test" || !other.empty() || !request.overrides.empty();
  const std::string folder = changed ? "evaluation-" + request.split + other : "evaluation";
  const EvaluationReport report = evaluate_part(experiment, directory, request.split, checkpoint, folder);
  out << summary_text(report) << "report: " << directory.file(folder + "/report.html") << "\n";
  return 0;
}

}  // namespace scorevi::run
