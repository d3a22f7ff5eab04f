// The folder of one run: names of everything in it, its life from "running" to "finished".
//   config.yaml  config.resolved.yaml  run.json  log.txt  metrics.csv  timing.csv  steps.jsonl  split.json  inputs.json
//   pictures.txt  bad_pictures.csv                     of picture files: all; left out or damaged ones
//   checkpoints/{last,best}.safetensors
//   evaluation/{report.json,report.html,reliability.svg,predictions.csv}
//   evaluation-<split>[-<data>]/...                    of other splits and other data
//   evaluation-<split>-ood-<data>/{ood.json,scores.csv}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace scorevi::run {

namespace files {
inline constexpr const char* kConfig = "config.yaml";
inline constexpr const char* kResolved = "config.resolved.yaml";
inline constexpr const char* kRun = "run.json";
inline constexpr const char* kLog = "log.txt";
inline constexpr const char* kConsole = "console.txt";  // what a member of a sweep printed
inline constexpr const char* kMetrics = "metrics.csv";
inline constexpr const char* kTiming = "timing.csv";
inline constexpr const char* kSteps = "steps.jsonl";
inline constexpr const char* kSplit = "split.json";
inline constexpr const char* kInputs = "inputs.json";
inline constexpr const char* kPictures = "pictures.txt";         // of picture files: folder/name:bytes of each row
inline constexpr const char* kBadPictures = "bad_pictures.csv";  // see data_files.h
inline constexpr const char* kLast = "checkpoints/last.safetensors";
inline constexpr const char* kBest = "checkpoints/best.safetensors";
inline constexpr const char* kReport = "evaluation/report.json";
inline constexpr const char* kHtml = "evaluation/report.html";
}  // namespace files

// Columns of metrics.csv, one row per epoch. Everything here is a function of configuration and seed; times are in
// timing.csv. Means are over the steps of the epoch; what a method does not have is `nan`, what was not evaluated in
// this epoch is empty.
//   loss: what the optimiser minimises; nll: mean negative log-likelihood of a training row, nats; kl: KL(q||prior) in
//   nats, unscaled; kl_scaled = temperature * kl / N; matching, proximal: the two terms of the score-matching loss.
//   sigma_*: of q after the epoch (minimum, 5 %, 50 %, 95 % quantile, maximum over weights).
const std::vector<std::string>& metrics_columns();

// "finished": trained and evaluated. "interrupted": stopped by a signal or a step limit, can be resumed.
enum class RunStatus { kRunning, kInterrupted, kFinished, kFailed };
const char* status_name(RunStatus status);

class RunDirectory {
 public:
  // Error(kUsage) when `out` cannot become a new run: another process trains there, it holds a run with a checkpoint,
  // or files that are not of a run. A run that never made a checkpoint may be started anew.
  static void check_new(const std::string& out);
  // Makes runs/<name>-<timestamp>, or exactly `out` when it is not empty, with check_new; locks it, then writes
  // run.json: from there on the folder is a run's.
  static RunDirectory create(const std::string& name, const std::string& out);
  // An existing run: Error(kData) when the folder is missing, holds no run.json, or holds a pipe or device in the
  // place of a file of a run.
  static RunDirectory open(const std::string& path);

  // No other process trains here until the last copy of this object is gone. Error(kUsage) when one does already.
  void lock();

  const std::string& path() const { return path_; }
  std::string file(const std::string& relative) const { return path_ + "/" + relative; }
  bool has(const std::string& relative) const;
  // Whether a file of that path is or would be one of the run's own, named above.
  bool owns(const std::string& path) const;
  void make_folder(const std::string& relative) const;

  // run.json as it is on disk; update() merges keys and writes it atomically. Error(kData) where it is damaged.
  nlohmann::json info() const;
  std::string status() const;  // "unknown" where run.json has none
  // Whether training ended and was evaluated.
  bool has_result() const;
  // Names the experiment, not the folder: equal for runs of the same configuration on the same data, kept when a run is
  // resumed. Every checkpoint has it. "" before it is set.
  std::string id() const;
  // DataParts::fingerprint of the data that the run was trained on; "" where run.json does not say.
  std::string data_sha256() const;
  // Of the file that model.weights named; "" where the run began at random or run.json does not say.
  std::string weights_sha256() const;
  void update(const nlohmann::json& keys) const;
  void set_status(RunStatus status, const std::string& reason = "") const;

  // config.resolved.yaml. Error(kData) when it is missing or not what set_resolved wrote (its SHA-256 is in run.json).
  std::string resolved() const;
  void set_resolved(const std::string& text) const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::shared_ptr<class FolderLock> lock_;
};

// The newest run folder runs/<name>-* that has a checkpoint and is not finished, "" when there is none.
std::string find_unfinished_run(const std::string& name);

}  // namespace scorevi::run
