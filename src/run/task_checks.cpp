#include "task_checks.h"

#include <vector>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::run {

std::string likelihood_for(bool classification) { return classification ? "categorical" : "gaussian"; }

void check_task(const RunOptions& options, bool classification) {
  std::vector<std::string> problems;
  const std::string fitting = likelihood_for(classification), &likelihood = options.likelihood.name;
  if (likelihood != "auto" && likelihood != fitting)
    problems.push_back("likelihood.name: got " + likelihood + ", expected " + fitting + " (or auto): data set " +
                       options.data.source.name + " has " + (classification ? "classes" : "numbers") + " as targets");
  const std::string& monitor = options.train.monitor;
  if (monitor != "val_nll" && (classification ? monitor == "val_rmse" : monitor != "val_rmse"))
    problems.push_back("train.monitor: got " + monitor + ", expected val_nll or " +
                       (classification ? "val_error, val_ece" : "val_rmse") + " for data set " +
                       options.data.source.name);
  constexpr int64_t kMostSamples = 10000;
  if (!classification && options.evaluate.samples > kMostSamples)
    problems.push_back(
        fmt::format("evaluate.samples: got {}, expected at most {} for a regression, whose CRPS takes the "
                    "square of them for every row",
                    options.evaluate.samples, kMostSamples));
  if (!problems.empty()) throw Error(ErrorKind::kUsage, join(problems, "\n"));
}

void check_parts(const RunOptions& options, const DataParts& data) {
  if (options.evaluate.split == "test") part_rows(data, "test");
  if (!data.split.validation.empty()) return;
  std::vector<std::string> problems;
  const auto needs_rows = [&problems](bool asked, const std::string& key, const std::string& hint) {
    if (asked)
      problems.push_back(key + " needs validation rows, and the split has none; raise data.validation_frac" + hint);
  };
  needs_rows(options.evaluate.split == "validation", "evaluate.split: validation", "");
  needs_rows(options.evaluate.checkpoint == "best", "evaluate.checkpoint: best", " or use last");
  needs_rows(options.train.patience > 0, "train.patience", " or set it to 0");
  needs_rows(options.schedule.name == "plateau", "schedule.name: plateau", " or use another schedule");
  if (!problems.empty()) throw Error(ErrorKind::kUsage, join(problems, "\n"));
}

}  // namespace scorevi::run
