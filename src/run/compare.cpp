#include "scorevi/run/compare.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "scorevi/config/document.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "settings.h"

namespace scorevi::run {
namespace fs = std::filesystem;
namespace {

// Keys without influence on the numbers, or that name the repetition.
const std::set<std::string> kIgnored = {"name",
                                        "seed",
                                        "device",
                                        "threads",
                                        "data.workers",
                                        "train.checkpoint_every",
                                        "train.checkpoint_every_steps",
                                        "train.log_every_steps",
                                        "evaluate.batch_size"};

struct Run {
  RunDirectory directory;
  std::vector<Setting> settings;  // in the order of config.resolved.yaml
  std::string seed;

  const std::string* find(const std::string& key) const {
    for (const Setting& setting : settings)
      if (setting.key == key) return &setting.value;
    return nullptr;
  }
  std::string value(const std::string& key) const {
    const std::string* found = find(key);
    return found ? *found : "–";
  }
};

// The run itself, or the finished runs in a folder of runs, sorted by name.
std::vector<std::string> run_folders(const std::string& path) {
  if (fs::exists(path + "/" + files::kRun) || !fs::is_directory(path)) return {path};
  std::vector<std::string> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(path, code))
    if (fs::exists(entry.path() / files::kRun) && fs::exists(entry.path() / files::kReport) &&
        status_if_readable(entry.path().string()) == status_name(RunStatus::kFinished))
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.empty())
    throw Error(ErrorKind::kData,
                path + ": holds no finished run, expected a folder made by `scorevi train` or `scorevi sweep`");
  return found;
}

Run read_run(const std::string& path) {
  Run run{RunDirectory::open(path), {}, ""};
  const config::Document document =
      config::Document::from_text(run.directory.resolved(), run.directory.file(files::kResolved));
  run.settings = settings_of(document.root());
  run.seed = run.value("seed");
  run.settings.erase(std::remove_if(run.settings.begin(), run.settings.end(),
                                    [](const Setting& setting) { return kIgnored.count(setting.key) > 0; }),
                     run.settings.end());
  return run;
}

bool describes_method(const std::string& key) {
  for (const char* section : {"method.", "optimizer.", "schedule.", "posterior."})
    if (key.rfind(section, 0) == 0) return true;
  return false;
}

// The first keys, in file order, that tell all different runs apart; a key that splits nothing more
// is left out.
std::vector<std::string> telling_keys(const std::vector<const Run*>& runs, bool of_method) {
  std::vector<std::string> keys, chosen;
  for (const Run* run : runs)
    for (const Setting& setting : run->settings)
      if (describes_method(setting.key) == of_method && std::find(keys.begin(), keys.end(), setting.key) == keys.end())
        keys.push_back(setting.key);
  std::vector<std::string> classes(runs.size());
  for (const std::string& key : keys) {
    std::set<std::string> before(classes.begin(), classes.end()), after;
    std::vector<std::string> finer;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      finer.push_back(classes[i] + "\n" + runs[i]->value(key));
      after.insert(finer.back());
    }
    if (after.size() == before.size()) continue;
    chosen.push_back(key);
    classes = finer;
  }
  return chosen;
}

std::string without_prefix(const std::string& key) { return key.rfind("method.", 0) == 0 ? key.substr(7) : key; }

// "psm (estimator=sampled)" for each run.
std::vector<std::string> row_names(const std::vector<Run>& runs) {
  std::map<std::string, std::vector<const Run*>> by_method;
  for (const Run& run : runs) by_method[run.value("method.name")].push_back(&run);
  std::map<std::string, std::vector<std::string>> keys;
  for (const auto& [method, members] : by_method) keys[method] = telling_keys(members, /*of_method=*/true);
  std::vector<std::string> names;
  for (const Run& run : runs) {
    const std::string method = run.value("method.name");
    std::vector<std::string> parts;
    for (const std::string& key : keys[method])
      if (const std::string* value = run.find(key)) parts.push_back(without_prefix(key) + "=" + *value);
    names.push_back(method + (parts.empty() ? "" : " (" + join(parts) + ")"));
  }
  return names;
}

std::vector<std::string> columns_for(const std::vector<Run>& runs) {
  bool classification = false, regression = false;
  for (const Run& run : runs) {
    const bool classes = !std::isnan(read_result(run.directory, {"error"}).values[0].value);
    (classes ? classification : regression) = true;
  }
  std::vector<std::string> columns;
  if (classification) columns = {"error", "ece", "nll"};
  if (regression)
    for (const char* name : {"rmse", "nll", "crps", "coverage"})
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  return columns;
}

std::string resolve_baseline(const std::vector<std::string>& names, const std::string& wanted) {
  std::vector<std::string> distinct, starting;
  for (const std::string& name : names) {
    if (name == wanted) return name;
    if (std::find(distinct.begin(), distinct.end(), name) == distinct.end()) distinct.push_back(name);
  }
  for (const std::string& name : distinct)
    if (name.rfind(wanted, 0) == 0) starting.push_back(name);
  if (starting.size() == 1) return starting[0];
  throw Error(ErrorKind::kUsage,
              "baseline: " + std::string(starting.empty() ? "no such row" : "more than one row begins so") +
                  ", got \"" + wanted + "\", expected one of " + join(distinct) + did_you_mean(wanted, distinct));
}

}  // namespace

ResultTable compare_runs(const std::vector<std::string>& paths, const std::string& baseline) {
  std::vector<Run> runs;
  for (const std::string& path : paths)
    for (const std::string& folder : run_folders(path)) runs.push_back(read_run(folder));
  std::vector<const Run*> all;
  for (const Run& run : runs) all.push_back(&run);

  ResultTable table;
  table.title = "Comparison of runs";
  table.axes = telling_keys(all, /*of_method=*/false);
  table.metrics = columns_for(runs);
  const std::vector<std::string> names = row_names(runs);
  if (!baseline.empty()) table.baseline = resolve_baseline(names, baseline);
  std::set<std::vector<std::string>> seen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ResultRow row = read_result(runs[i].directory, table.metrics);
    row.variant = names[i];
    row.seed = runs[i].seed;
    for (const std::string& key : table.axes) row.axes.push_back(runs[i].value(key));
    std::vector<std::string> identity = row.axes;
    identity.push_back(row.variant);
    identity.push_back(row.seed);
    if (!seen.insert(identity).second)
      table.notes.push_back(row.path + ": the same method and seed as an earlier run; both count.");
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_comparison(const ResultTable& table, const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(ErrorKind::kRuntime, folder + ": cannot create the folder: " + code.message());
  write_file_atomic(folder + "/table.md", markdown_table(table));
  write_results_csv(table, folder + "/results.csv");
  write_table_report(table, folder + "/report.html", {});
}

}  // namespace scorevi::run
