#include "config_diff.h"

#include <algorithm>
#include <map>

#include "scorevi/config/document.h"
#include "scorevi/core/error.h"
#include "scorevi/core/glob.h"
#include "settings.h"

namespace scorevi::run {
namespace {

using Patterns = std::vector<std::string>;

constexpr const char* kAbsent = "absent";

// How and where predictions are made, never what is predicted; data.target names the target in the table of --data.
const Patterns& evaluation_keys() {
  static const Patterns kKeys = {"device",       "threads",           "data.root",  "data.path",     "data.target",
                                 "data.workers", "data.on_bad_image", "data.cache", "model.weights", "evaluate.*"};
  return kKeys;
}

// Keys that change how often something is done, how a run is evaluated and where, never what a step learns.
Patterns resume_keys(const RunOptions& options) {
  // Of evaluate.* only what validation during training does not use: its numbers decide about the best checkpoint.
  Patterns keys = {"device",           "threads",       "data.root",          "data.path",           "data.workers",
                   "evaluate.samples", "model.weights", "evaluate.bootstrap", "evaluate.checkpoint", "evaluate.split"};
  keys.insert(keys.end(), {"name", "data.on_bad_image", "data.cache", "train.patience", "train.checkpoint_every",
                           "train.checkpoint_every_steps", "train.log_every_steps"});
  const std::string& schedule = options.schedule.name;
  const bool whole_run = schedule == "cosine" || schedule == "linear" || schedule == "polynomial";
  const MethodOptions& method = options.method;
  const bool proximal =
      method.name == "psm" && method.solver == "gradient" && method.inner_steps > 1 && method.alpha_max > 0;
  if (!whole_run && !proximal) keys.push_back("train.epochs");
  if (schedule != "plateau") keys.push_back("train.eval_every");
  return keys;
}

void refuse_other(const std::string& run_path, const std::string& what, const std::string& before,
                  const std::string& after, const Patterns& allowed) {
  std::string refused, of_one;  // keys of both, and keys that only one has
  for (const ConfigDifference& d : config_differences(before, after)) {
    const bool fits = std::any_of(allowed.begin(), allowed.end(),
                                  [&](const std::string& pattern) { return glob_match(pattern, d.key); });
    const bool both = d.before != kAbsent && d.after != kAbsent;
    if (!fits) (both ? refused : of_one) += "\n  " + d.key + ": run has " + d.before + ", configuration has " + d.after;
  }
  // A key comes and goes with the name of its section, which differs then.
  if (refused.empty()) refused = of_one;
  if (!refused.empty())
    throw Error(ErrorKind::kUsage, run_path + ": cannot " + what + " with another experiment:" + refused +
                                       "\n  give the run's own values, or start a new run");
}

std::map<std::string, std::string> values_of(const std::string& text, const std::string& name) {
  std::map<std::string, std::string> values;
  const config::Document document = config::Document::from_text(text, name);
  for (const Setting& setting : settings_of(document.root())) values[setting.key] = setting.value;
  return values;
}

}  // namespace

std::vector<ConfigDifference> config_differences(const std::string& before, const std::string& after) {
  const std::map<std::string, std::string> old_values = values_of(before, "the run's configuration");
  const std::map<std::string, std::string> new_values = values_of(after, "the new configuration");
  std::vector<ConfigDifference> differences;
  for (const auto& [key, value] : old_values) {
    const auto it = new_values.find(key);
    if (it == new_values.end() || it->second != value)
      differences.push_back({key, value, it == new_values.end() ? kAbsent : it->second});
  }
  for (const auto& [key, value] : new_values)
    if (old_values.count(key) == 0) differences.push_back({key, kAbsent, value});
  std::sort(differences.begin(), differences.end(),
            [](const ConfigDifference& a, const ConfigDifference& b) { return a.key < b.key; });
  return differences;
}

void check_resumable(const std::string& run_path, const std::string& before, const LoadedOptions& after) {
  refuse_other(run_path, "resume", before, after.resolved, resume_keys(after.options));
}

void check_evaluable(const std::string& run_path, const std::string& before, const LoadedOptions& after) {
  refuse_other(run_path, "evaluate", before, after.resolved, evaluation_keys());
}

}  // namespace scorevi::run
