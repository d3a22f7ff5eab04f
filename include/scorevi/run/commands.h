// What the subcommands do, free of command-line parsing. Results go to `out` (stdout in the program), the human log to
// scorevi::log(). Each returns the exit code; failures are thrown as Error.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace scorevi::run {

struct TrainRequest {
  std::string config;                  // may be empty with resume = DIR: then the run's own configuration
  std::vector<std::string> overrides;  // "key.path=value"
  std::string resume;                  // "", "auto" or a run folder (without a checkpoint it begins anew)
  std::string out;                     // exact run folder, "" = runs/<name>-<timestamp>
  int64_t limit_batches = 0;           // batches per epoch, 0 = all (smoke runs)
  int64_t max_steps = 0;               // steps made by this call, then stop as if interrupted; 0 = no limit
  bool dry_run = false;                // everything up to the first step
  bool progress = true;                // a bar on a terminal
};
int train(const TrainRequest& request, std::ostream& out);

struct EvaluateRequest {
  std::string run;
  std::string split = "test";  // train | validation | test
  std::string data;            // another configuration whose data section is used
  std::string ood;             // the same, or a folder of pictures: other things that the run should be unsure about
  std::vector<std::string> overrides;
};
int evaluate(const EvaluateRequest& request, std::ostream& out);

struct PredictRequest {
  std::string run;
  std::vector<std::string> inputs;  // CSV or idx files; pictures and folders of them for a run on pictures
  std::string out;                  // CSV file, "" = `out`
  std::string sheet;                // HTML page with the most uncertain pictures, "" = none
  std::vector<std::string> overrides;
};
int predict(const PredictRequest& request, std::ostream& out);

struct CheckRequest {
  std::string config;
  std::vector<std::string> overrides;
};
int check(const CheckRequest& request, std::ostream& out);

struct SweepRequest {
  std::string sweep;
  std::vector<std::string> overrides;
  std::string out;    // runs/<sweep name> when empty
  int jobs = 0;       // 0 = one per core, at most 8
  bool redo = false;  // members made with another configuration are deleted and run again
};
int sweep(const SweepRequest& request, std::ostream& out);

struct ReportRequest {
  std::vector<std::string> runs;
  std::string baseline;  // row that paired differences are taken against, "" = none
  std::string out;       // folder for table.md, results.csv, report.html; "" = Markdown to `out` only
};
int report(const ReportRequest& request, std::ostream& out);

struct InspectRequest {
  std::vector<std::string> files;  // or names of models/weights.yaml
  bool json = false;               // one line a file instead of tables
  std::string decode;              // folder in which each picture is written as <name>.png, "" = none
};
// Format and tensors (path, dtype, shape, SHA-256 of the elements) of each weight file, format and size of each
// picture, or why a file is refused. Goes on after a refused file and then returns 3. A line of JSON is {"file",
// "kind": "checkpoint"|"image", "outcome": "ok"|"partial"|"refused"}, for pictures with "format", "width", "height",
// "orientation", "rgb_sha256", for others with "format", "weights" {"at", "strip", "tensors"} where a loader finds them
// and "tensors" {path: {"dtype", "shape", "sha256"}}, or with "reason".
int inspect(const InspectRequest& request, std::ostream& out);

// models | weights | datasets | methods | optimizers | schedules | families | keys | keys-markdown
int list(const std::string& what, std::ostream& out);
// Text for `list` without an argument and for the error message of an unknown one.
const std::vector<std::string>& list_kinds();

// Versions of scorevi and its libraries, processor, CUDA.
int info(std::ostream& out);
const char* version();

}  // namespace scorevi::run
