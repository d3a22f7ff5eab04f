#include "scorevi/run/run_directory.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

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

void create_folders(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code)
    throw Error(ErrorKind::kRuntime,
                path + ": cannot create the folder: " + code.message() + "; choose another place with --out DIR");
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

// Anything but the output that a sweep catches there before the training begins.
bool holds_foreign_files(const std::string& path) {
  return std::any_of(fs::directory_iterator(path), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return entry.path().filename() != files::kConsole; });
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Claims a fresh folder: mkdir either makes it or says that it was there, so two runs never share one.
std::string claim_fresh_folder(const std::string& name) {
  create_folders("runs");
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
  remove_stale_temporaries(path);
  if (fs::exists(path + "/" + files::kLast) || fs::exists(path + "/" + files::kReport))
    throw Error(ErrorKind::kUsage, path +
                                       ": already holds a run, expected a new or empty folder; add "
                                       "--resume " +
                                       path + " to go on with it");
  if (!fs::exists(path + "/" + files::kRun) && holds_foreign_files(path))
    throw Error(ErrorKind::kUsage, path + ": holds files that are not of a run, expected a new or empty folder");
}

RunDirectory RunDirectory::create(const std::string& name, const std::string& out) {
  if (!out.empty()) {
    check_new(out);
    create_folders(without_slashes(out));
  }
  RunDirectory directory(out.empty() ? claim_fresh_folder(name) : without_slashes(out));
  directory.set_status(RunStatus::kRunning);  // first of all: run.json makes the folder a run's
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
  return RunDirectory(path);
}

bool RunDirectory::has(const std::string& relative) const { return fs::exists(file(relative)); }

void RunDirectory::make_folder(const std::string& relative) const { create_folders(file(relative)); }

nlohmann::json RunDirectory::info() const {
  const std::string path = file(files::kRun);
  if (!fs::exists(path)) return nlohmann::json::object();
  try {
    return nlohmann::json::parse(read_file(path, 16 << 20));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kData, path + ": not valid JSON: " + e.what());
  }
}

void RunDirectory::update(const nlohmann::json& keys) const {
  nlohmann::json all = info();
  all.update(keys);
  write_file_atomic(file(files::kRun), all.dump(2) + "\n");
}

void RunDirectory::set_status(RunStatus status, const std::string& reason) const {
  update({{"status", status_name(status)}, {"reason", reason}});
}

std::string find_unfinished_run(const std::string& name) {
  std::vector<std::string> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("runs", code)) {
    const std::string folder = entry.path().filename().string();
    if (folder.rfind(name + "-", 0) != 0 || !fs::exists(entry.path() / files::kLast)) continue;
    // A longer run name may begin with this one: what follows must be a timestamp.
    const std::string stamp = folder.substr(name.size() + 1);
    if (stamp.size() < 15 || stamp[8] != '-') continue;
    const RunDirectory directory = RunDirectory::open(entry.path().string());
    if (directory.info().value("status", "") != status_name(RunStatus::kFinished)) found.push_back(directory.path());
  }
  return found.empty() ? "" : *std::max_element(found.begin(), found.end());
}

}  // namespace scorevi::run
