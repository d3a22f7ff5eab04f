#include "scorevi/run/run_directory.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

#include "json_file.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/log.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/text.h"
#include "scorevi/run/folder_lock.h"

namespace scorevi::run {
namespace fs = std::filesystem;

const std::vector<std::string>& metrics_columns() {
  static const std::vector<std::string> kColumns = {"epoch",     "step",      "lr",        "alpha",     "loss",
                                                    "nll",       "kl",        "kl_scaled", "matching",  "proximal",
                                                    "grad_norm", "sigma_min", "sigma_p05", "sigma_p50", "sigma_p95",
                                                    "sigma_max", "val_nll",   "val_error", "val_ece",   "val_rmse"};
  return kColumns;
}

const char* status_name(RunStatus status) {
  switch (status) {
    case RunStatus::kRunning:
      return "running";
    case RunStatus::kInterrupted:
      return "interrupted";
    case RunStatus::kFinished:
      return "finished";
    case RunStatus::kFailed:
      return "failed";
  }
  return "unknown";
}

namespace {

constexpr const char* kTraining = "training";

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

// Anything but the output that a sweep catches there before the training begins, and the lock.
bool holds_foreign_files(const std::string& path) {
  return std::any_of(fs::directory_iterator(path), fs::directory_iterator(), [](const fs::directory_entry& entry) {
    return entry.path().filename() != files::kConsole && entry.path().filename() != FolderLock::file_name(kTraining);
  });
}

constexpr const char* kFiles[] = {files::kConfig,  files::kResolved, files::kRun,      files::kLog,
                                  files::kConsole, files::kMetrics,  files::kTiming,   files::kSteps,
                                  files::kSplit,   files::kInputs,   files::kPictures, files::kBadPictures,
                                  files::kLast,    files::kBest,     files::kReport,   files::kHtml};

// Opening a pipe waits for its other end, and a device may never end.
void check_regular_files(const std::string& path) {
  for (const char* name : kFiles) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path + "/" + name, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status))
      throw Error(ErrorKind::kData, path + "/" + name + ": is not a regular file, expected a file of a run");
  }
}

void check_unused(const std::string& path) {
  if (fs::exists(path + "/" + files::kLast) || fs::exists(path + "/" + files::kReport))
    throw Error(ErrorKind::kUsage, path +
                                       ": already holds a run, expected a new or empty folder; add "
                                       "--resume " +
                                       path + " to go on with it");
  if (!fs::exists(path + "/" + files::kRun) && holds_foreign_files(path))
    throw Error(ErrorKind::kUsage, path + ": holds files that are not of a run, expected a new or empty folder");
  check_regular_files(path);
}

// What other code reads of run.json has the right types.
void check_info(const std::string& path, const nlohmann::json& info) {
  const auto expect = [&path](bool right, const char* what) {
    if (!right) throw Error(ErrorKind::kData, path + ": damaged, expected " + what);
  };
  expect(info.is_object(), "an object");
  for (const char* key : {"status", "reason", "id", "config_sha256"})
    if (info.contains(key)) expect(info[key].is_string(), "text for \"status\", \"reason\", \"id\", \"config_sha256\"");
  if (info.contains("train_s")) expect(info["train_s"].is_number(), "a number for \"train_s\"");
  if (info.contains("data"))
    expect(info["data"].is_object() && info["data"].value("sha256", nlohmann::json("")).is_string(),
           "an object with text for \"sha256\" as \"data\"");
  if (info.contains("weights") && !info["weights"].is_null())
    expect(info["weights"].is_object() && info["weights"].value("sha256", nlohmann::json("")).is_string(),
           "an object with text for \"sha256\" as \"weights\"");
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Claims a fresh folder: mkdir either makes it or says that it was there, so two runs never share one.
std::string claim_fresh_folder(const std::string& name) {
  make_folder("runs");
  const std::string base = "runs/" + name + "-" + timestamp();
  std::string path = base;
  for (int suffix = 2;; ++suffix) {
    std::error_code code;
    if (fs::create_directory(path, code)) return path;
    if (code) throw Error(ErrorKind::kRuntime, path + ": cannot create the run folder: " + code.message());
    path = base + "-" + std::to_string(suffix);
  }
}

}  // namespace

void RunDirectory::check_new(const std::string& out) {
  const std::string path = without_slashes(out);
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path)) throw Error(ErrorKind::kUsage, path + ": is a file, expected a new or empty folder");
  FolderLock::check_free(path, kTraining);
  remove_stale_temporaries(path);
  check_unused(path);
}

RunDirectory RunDirectory::create(const std::string& name, const std::string& out) {
  if (!out.empty()) {
    check_new(out);
    ::scorevi::make_folder(without_slashes(out));
  }
  RunDirectory directory(out.empty() ? claim_fresh_folder(name) : without_slashes(out));
  directory.lock();
  if (!out.empty()) check_unused(directory.path());  // another process may have trained here meanwhile
  write_file_atomic(directory.file(files::kRun), "{}\n");
  directory.set_status(RunStatus::kRunning);
  directory.make_folder("checkpoints");
  std::error_code ignored;
  fs::remove(directory.file(files::kBest), ignored);  // of a run that ended before its first checkpoint
  return directory;
}

RunDirectory RunDirectory::open(const std::string& given) {
  const std::string path = without_slashes(given);
  if (!fs::is_directory(path)) throw Error(ErrorKind::kData, path + ": no such run folder");
  if (!fs::is_regular_file(path + "/" + files::kRun))
    throw Error(ErrorKind::kData,
                path + ": holds no " + std::string(files::kRun) + ", expected a folder made by `scorevi train`");
  check_regular_files(path);
  return RunDirectory(path);
}

void RunDirectory::lock() { lock_ = std::make_shared<FolderLock>(path_, kTraining); }

bool RunDirectory::has(const std::string& relative) const { return fs::exists(file(relative)); }

bool RunDirectory::owns(const std::string& path) const {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::canonical(path_));
  const std::string folder = relative.begin() == relative.end() ? "" : relative.begin()->string();
  return folder == "checkpoints" || begins_with(folder, "evaluation") ||
         std::find(std::begin(kFiles), std::end(kFiles), relative.string()) != std::end(kFiles);
}

void RunDirectory::make_folder(const std::string& relative) const { ::scorevi::make_folder(file(relative)); }

nlohmann::json RunDirectory::info() const {
  const std::string path = file(files::kRun);
  if (!fs::exists(path)) return nlohmann::json::object();
  try {
    nlohmann::json info = nlohmann::json::parse(read_file(path, 16 << 20));
    check_info(path, info);
    return info;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kData, path + ": damaged, not valid JSON: " + e.what());
  }
}

std::string RunDirectory::status() const { return info().value("status", "unknown"); }

bool RunDirectory::has_result() const { return status() == status_name(RunStatus::kFinished) && has(files::kReport); }

std::string RunDirectory::id() const { return info().value("id", ""); }

std::string RunDirectory::data_sha256() const { return info().value("/data/sha256"_json_pointer, ""); }

std::string RunDirectory::weights_sha256() const { return info().value("/weights/sha256"_json_pointer, ""); }

void RunDirectory::update(const nlohmann::json& keys) const {
  nlohmann::json all = info();
  all.update(keys);
  write_json(file(files::kRun), all);
}

void RunDirectory::set_status(RunStatus status, const std::string& reason) const {
  update({{"status", status_name(status)}, {"reason", reason}});
}

std::string RunDirectory::resolved() const {
  const std::string path = file(files::kResolved);
  std::string text = read_file(path, 1 << 20);
  const std::string saved = info().value("config_sha256", "");
  if (!saved.empty() && saved != sha256_hex(text))
    throw Error(ErrorKind::kData, path +
                                      ": was changed after the run wrote it (run.json has another SHA-256), expected "
                                      "the run's own text; undo the change and give other values with -s KEY=VALUE");
  return text;
}

void RunDirectory::set_resolved(const std::string& text) const {
  update({{"config_sha256", ""}});  // a process that is killed between the two files leaves a run that can be read
  write_file_atomic(file(files::kResolved), text);
  update({{"config_sha256", sha256_hex(text)}});
}

namespace {

// Nothing, with a warning, where the run cannot be read: it must not stand in the way of the others.
std::optional<std::string> status_if_readable(const std::string& path) {
  try {
    return RunDirectory::open(path).status();
  } catch (const Error& e) {
    log().warn("{}: left out: {}", path, e.what());
    return std::nullopt;
  }
}

// When a run was started: "20260131-120000", and which of the runs of that second it is.
using StartTime = std::pair<std::string, int64_t>;

// Of a folder name after "<name>-": "20260131-120000" or "20260131-120000-2". Nothing for another text, since a longer
// run name may begin with this one.
std::optional<StartTime> start_time(const std::string& text) {
  constexpr std::size_t kStamp = 15;
  if (text.size() < kStamp || text[8] != '-') return std::nullopt;
  if (text.size() == kStamp) return StartTime{text, 1};
  const std::optional<int64_t> place = parse_int(text.substr(kStamp + 1));
  if (text[kStamp] != '-' || !place) return std::nullopt;
  return StartTime{text.substr(0, kStamp), *place};
}

}  // namespace

std::string find_unfinished_run(const std::string& name) {
  std::string newest;
  std::optional<StartTime> newest_start;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("runs", code)) {
    const std::string folder = entry.path().filename().string();
    if (folder.rfind(name + "-", 0) != 0 || !fs::exists(entry.path() / files::kLast)) continue;
    const std::optional<StartTime> start = start_time(folder.substr(name.size() + 1));
    if (!start || start < newest_start) continue;
    const std::optional<std::string> status = status_if_readable(entry.path().string());
    if (!status || *status == status_name(RunStatus::kFinished)) continue;
    newest = entry.path().string();
    newest_start = start;
  }
  return newest;
}

}  // namespace scorevi::run
