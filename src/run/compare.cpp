#include "scorevi/run/compare.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "scorevi/config/document.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/registry.h"
#include "scorevi/run/sweep.h"
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
                                        "evaluate.batch_size",
                                        "evaluate.bootstrap"};

// Where data lie and how they are read: without influence where the data are the same.
const std::set<std::string> kDataPlace = {
    "data.path",      "data.root",       "data.target",     "data.header",
    "data.delimiter", "data.labels_dir", "data.list_train", "data.list_validation",
    "data.list_test", "data.ignore",     "data.missing",    "data.text_columns"};

// What a comparison shows: of classes, of numbers.
const std::vector<std::string> kColumns = {"error", "ece", "nll", "rmse", "crps", "coverage"};
const std::vector<std::string> kOfClasses = {"error", "ece", "nll"}, kOfNumbers = {"rmse", "nll", "crps", "coverage"};

struct Run {
  RunDirectory directory;
  std::vector<Setting> settings;  // in the order of config.resolved.yaml
  std::string seed;
  std::string base;     // of the row's name: the variant of a sweep, else the method
  std::string status;   // of the run
  std::string data;     // SHA-256, "" = not known
  std::string weights;  // SHA-256 of what it began with, "" = none or not known
  std::string id;       // "" = not known
  ResultRow result;     // of kColumns, NaN where the report has none

  const std::string* find(const std::string& key) const {
    for (const Setting& setting : settings)
      if (setting.key == key) return &setting.value;
    return nullptr;
  }
  std::string value(const std::string& key) const {
    const std::string* found = find(key);
    return found ? *found : "–";
  }
  bool finished() const { return status == status_name(RunStatus::kFinished); }
};

bool is_run(const std::string& path) { return fs::exists(path + "/" + files::kRun); }

Run read_run(const RunDirectory& directory) {
  Run run{directory, {}, "", sweep_variant(directory.path()), "", "", "", "", read_result(directory, kColumns)};
  const config::Document document =
      config::Document::from_text(run.directory.resolved(), run.directory.file(files::kResolved));
  run.settings = settings_of(document.root());
  run.seed = run.value("seed");
  if (run.base.empty()) run.base = run.value("method.name");
  run.status = directory.status();
  run.data = directory.data_sha256();
  run.weights = directory.weights_sha256();
  run.id = directory.id();
  run.settings.erase(std::remove_if(run.settings.begin(), run.settings.end(),
                                    [](const Setting& setting) { return kIgnored.count(setting.key) > 0; }),
                     run.settings.end());
  return run;
}

// Reads runs and folders of runs; what has no numbers becomes a note.
class RunReader {
 public:
  void add(const std::string& path) {
    if (is_run(path) || !fs::is_directory(path)) {
      const RunDirectory directory = RunDirectory::open(path);
      add_run(directory, directory.has(files::kReport));
      return;
    }
    std::vector<std::string> members;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(path, code))
      if (is_run(entry.path().string())) members.push_back(entry.path().string());
    std::sort(members.begin(), members.end());
    for (const std::string& member : members) add_member(member);
  }

  std::vector<Run> runs;
  std::vector<std::string> notes;

 private:
  // A damaged member does not keep the others from being compared.
  void add_member(const std::string& path) {
    try {
      const RunDirectory directory = RunDirectory::open(path);
      add_run(directory, directory.has_result());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      notes.push_back(path + ": left out: " + error.what());
    }
  }

  // A folder that is named twice counts once.
  void add_run(const RunDirectory& directory, bool has_numbers) {
    if (!folders_.insert(fs::canonical(directory.path()).string()).second) return;
    if (has_numbers)
      runs.push_back(read_run(directory));
    else
      notes.push_back(no_result_note(directory.path(), directory.path()));
  }

  std::set<std::string> folders_;
};

// The same data may be named in several ways: a column by its name or number, a file by several paths.
void name_data_alike(std::vector<Run>& runs) {
  std::map<std::string, const Run*> first;
  for (Run& run : runs) {
    if (run.data.empty()) continue;
    const Run& like = *first.emplace(run.data, &run).first->second;
    for (Setting& setting : run.settings)
      if (kDataPlace.count(setting.key) > 0 && like.find(setting.key) != nullptr)
        setting.value = *like.find(setting.key);
  }
}

// The keys that say which data a run has; those of generated sets are drawn with the seed.
std::string data_keys(const Run& run) {
  std::string text;
  for (const Setting& setting : run.settings)
    if (setting.key.rfind("data.", 0) == 0) text += setting.key + "=" + setting.value + "\n";
  return text + (data::is_generated(run.value("data.name")) ? run.seed : "");
}

// What runs begin with besides their configuration.
struct Input {
  const char* what;
  const char* key;                      // of the setting that tells them apart
  std::string Run::*sha256;             // "" = not known
  std::string (*named_by)(const Run&);  // the configuration's words for it
};
const Input kInputs[] = {{"data", "data.sha256", &Run::data, data_keys},
                         {"model.weights", "model.weights.sha256", &Run::weights,
                          [](const Run& run) { return run.value("model.weights"); }}};

// Where equal words stand for different contents, as of a file that was changed between two runs, the contents become a
// setting of their own: numbers of different data or first weights are not averaged.
void tell_apart(const Input& input, std::vector<Run>& runs, std::vector<std::string>& notes) {
  constexpr std::size_t kDigits = 12;
  std::map<std::string, const Run*> first;
  bool differ = false;
  for (const Run& run : runs) {
    if ((run.*input.sha256).empty()) continue;
    const Run& like = *first.emplace(input.named_by(run), &run).first->second;
    if (like.*input.sha256 == run.*input.sha256) continue;
    differ = true;
    notes.push_back(run.directory.path() + ": its " + input.what + " were other ones than those of " +
                    like.directory.path() + ", though the configurations name the same; they are kept apart.");
  }
  if (!differ) return;
  for (Run& run : runs) run.settings.push_back({input.key, (run.*input.sha256).substr(0, kDigits)});
}

bool describes_method(const std::string& key) {
  for (const char* section : {"method.", "optimizer.", "schedule.", "posterior."})
    if (key.rfind(section, 0) == 0) return true;
  return false;
}

// In file order, the keys that have two values among the runs that have them.
std::vector<std::string> differing_keys(const std::vector<const Run*>& runs, bool of_method) {
  std::vector<std::string> keys;
  std::map<std::string, std::set<std::string>> values;
  for (const Run* run : runs)
    for (const Setting& setting : run->settings) {
      if (describes_method(setting.key) != of_method) continue;
      if (values.count(setting.key) == 0) keys.push_back(setting.key);
      values[setting.key].insert(setting.value);
    }
  keys.erase(std::remove_if(keys.begin(), keys.end(), [&](const std::string& key) { return values[key].size() < 2; }),
             keys.end());
  return keys;
}

std::vector<const Run*> pointers_to(const std::vector<Run>& runs) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return pointers;
}

std::string without_prefix(const std::string& key) { return key.rfind("method.", 0) == 0 ? key.substr(7) : key; }

// What each run's row is called, and the keys that rows of one base have in their names.
struct RowNames {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> keys;
};

// "psm (estimator=sampled)" for each run.
RowNames row_names(const std::vector<Run>& runs) {
  RowNames result;
  std::map<std::string, std::vector<const Run*>> by_base;
  for (const Run& run : runs) by_base[run.base].push_back(&run);
  for (const auto& [base, members] : by_base) result.keys[base] = differing_keys(members, /*of_method=*/true);
  for (const Run& run : runs) {
    std::vector<std::string> parts;
    for (const std::string& key : result.keys[run.base])
      if (const std::string* value = run.find(key)) parts.push_back(without_prefix(key) + "=" + *value);
    if (!run.finished()) parts.push_back(run.status);
    result.names.push_back(run.base + (parts.empty() ? "" : " (" + join(parts) + ")"));
  }
  return result;
}

// "optimizer.lr: 0.001 for map, advi; 0.003 for psm": differences between rows that their names do not show.
std::vector<std::string> difference_notes(const std::vector<Run>& runs, const RowNames& rows) {
  std::vector<std::string> notes;
  for (const std::string& key : differing_keys(pointers_to(runs), /*of_method=*/true)) {
    std::vector<std::pair<std::string, std::vector<std::string>>> names_by_value;
    bool all_shown = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string* value = runs[i].find(key);
      if (value == nullptr) continue;
      const std::vector<std::string>& shown = rows.keys.at(runs[i].base);
      const bool is_name = key == "method.name" && *value == runs[i].base;
      all_shown &= is_name || std::find(shown.begin(), shown.end(), key) != shown.end();
      auto found = std::find_if(names_by_value.begin(), names_by_value.end(),
                                [&](const auto& entry) { return entry.first == *value; });
      if (found == names_by_value.end()) found = names_by_value.insert(found, {*value, {}});
      if (std::find(found->second.begin(), found->second.end(), rows.names[i]) == found->second.end())
        found->second.push_back(rows.names[i]);
    }
    if (all_shown) continue;
    std::vector<std::string> texts;
    for (const auto& [value, names] : names_by_value) texts.push_back(value + " for " + join(names));
    notes.push_back(key + ": " + join(texts, "; ") + ".");
  }
  return notes;
}

std::vector<std::string> columns_for(const std::vector<Run>& runs) {
  bool classification = false, regression = false;
  for (const Run& run : runs) {
    const bool classes = !std::isnan(run.result.values[0].value);
    (classes ? classification : regression) = true;
  }
  std::vector<std::string> columns;
  if (classification) columns = kOfClasses;
  if (regression)
    for (const std::string& name : kOfNumbers)
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  return columns;
}

// Those of `columns`, out of a row of kColumns.
std::vector<metrics::Interval> values_of(const ResultRow& row, const std::vector<std::string>& columns) {
  std::vector<metrics::Interval> values;
  for (const std::string& column : columns)
    values.push_back(
        row.values[static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin())]);
  return values;
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
  RunReader reader;
  for (const std::string& path : paths) reader.add(path);
  std::vector<Run>& runs = reader.runs;
  if (runs.empty())
    throw Error(ErrorKind::kData, join(paths) +
                                      ": holds no finished run, expected folders made by `scorevi train` or "
                                      "`scorevi sweep`" +
                                      (reader.notes.empty() ? "" : "\n" + join(reader.notes, "\n")));
  name_data_alike(runs);
  for (const Input& input : kInputs) tell_apart(input, runs, reader.notes);

  ResultTable table;
  table.title = "Comparison of runs";
  table.axes = differing_keys(pointers_to(runs), /*of_method=*/false);
  table.metrics = columns_for(runs);
  const RowNames rows = row_names(runs);
  table.notes = difference_notes(runs, rows);
  table.notes.insert(table.notes.end(), reader.notes.begin(), reader.notes.end());
  if (!baseline.empty()) table.baseline = resolve_baseline(rows.names, baseline);
  std::map<std::vector<std::string>, std::set<std::string>> seen;  // ids of runs of one row and seed
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ResultRow row = runs[i].result;
    row.values = values_of(row, table.metrics);
    row.variant = rows.names[i];
    row.seed = runs[i].seed;
    for (const std::string& key : table.axes) row.axes.push_back(runs[i].value(key));
    std::vector<std::string> identity = row.axes;
    identity.push_back(row.variant);
    identity.push_back(row.seed);
    std::set<std::string>& ids = seen[identity];
    if (!runs[i].id.empty() && ids.count(runs[i].id) > 0) {
      table.notes.push_back(row.path + ": the same run as an earlier one, by its id; it does not count again.");
      continue;
    }
    if (!ids.empty()) table.notes.push_back(row.path + ": the same method and seed as an earlier run; both count.");
    ids.insert(runs[i].id);
    if (!runs[i].finished())
      table.notes.push_back(row.path + ": " + runs[i].status +
                            ", not finished; the numbers are of its weights so far.");
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_comparison(const ResultTable& table, const std::string& folder) {
  make_folder(folder);
  write_file_atomic(folder + "/table.md", markdown_table(table));
  write_results_csv(table, folder + "/results.csv");
  write_table_report(table, folder + "/report.html", {});
}

}  // namespace scorevi::run
