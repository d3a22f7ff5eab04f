#include <ostream>

#include "config_diff.h"
#include "data_files.h"
#include "evaluate_data.h"
#include "evaluator.h"
#include "ood_report.h"
#include "scorevi/core/log.h"
#include "scorevi/run/commands.h"
#include "stored_run.h"

namespace scorevi::run {
namespace {

// Where the report goes, beside the one that training wrote.
std::string report_folder(const EvaluateRequest& request, const EvaluateOverrides& overrides,
                          const Experiment& experiment) {
  const std::string other = request.data.empty() ? request.ood : request.data;
  const bool changed = request.split != evaluated_part(experiment.options, experiment.data.split) || !other.empty() ||
                       !request.overrides.empty();
  if (!changed) return "evaluation";
  return "evaluation-" + request.split + (request.ood.empty() ? "" : "-ood") +
         (other.empty() ? "" : "-" + name_of_other(other, overrides));
}

void print_ood(const EvaluateRequest& request, const EvaluateOverrides& overrides, const RunDirectory& directory,
               Experiment& experiment, std::ostream& out) {
  DataParts other = ood_data(request, directory, experiment.options, overrides);
  other.dataset.name = name_of_other(request.ood, overrides);
  const std::string folder = report_folder(request, overrides, experiment);
  const std::vector<int64_t> in = part_rows(experiment.data, request.split);
  const data::Dataset dataset = other.dataset;
  out << ood_text(evaluate_ood(experiment, in, std::move(other), directory, folder))
      << "scores: " << directory.file(folder + "/scores.csv") << "\n";
  tell_odd_pictures(directory.file(folder + "/" + files::kBadPictures), dataset);
}

}  // namespace

int evaluate(const EvaluateRequest& request, std::ostream& out) {
  const RunDirectory directory = RunDirectory::open(request.run);
  const std::string status = directory.status();
  if (status != status_name(RunStatus::kFinished))
    log().warn("{}: the run is {}, its weights so far are evaluated", directory.path(), status);
  const EvaluateOverrides overrides = split_overrides(request);
  const LoadedOptions loaded = load_run_options(directory, overrides.run);
  if (!overrides.run.empty()) check_evaluable(directory.path(), load_run_options(directory).resolved, loaded);
  DataParts data = evaluated_data(request, directory, loaded.options, overrides);
  part_rows(data, request.split);
  Experiment experiment = build_experiment(loaded.options, std::move(data), Use::kPrediction);
  check_same_weights(directory, experiment);
  if (!request.data.empty()) use_statistics_of_run(experiment, directory);
  const std::string checkpoint = load_weights(experiment, directory);
  if (!request.ood.empty()) {
    print_ood(request, overrides, directory, experiment, out);
    return 0;
  }
  const std::string folder = report_folder(request, overrides, experiment);
  const EvaluationReport report = evaluate_part(experiment, directory, request.split, checkpoint, folder);
  out << summary_text(report) << "report: " << directory.file(folder + "/report.html") << "\n";
  tell_odd_pictures(directory.file(folder + "/" + files::kBadPictures), experiment.data.dataset);
  return 0;
}

}  // namespace scorevi::run
