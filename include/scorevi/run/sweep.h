// A sweep: one base configuration, named variants of it, and a grid of values. Every combination is a
// run of its own, a child process, in a folder of its own.
//
//   name: digits_methods
//   base: ../digits_mlp_psm.yaml          # relative to the sweep file
//   common: {data.train_size: 300}        # overrides of the base for all; variants may change them
//   variants:                             # rows of the table: overrides of the base
//     map:  {method: {name: map}}         # the whole section: keys of another method do not remain
//     advi: {method: {name: advi}}
//     slow: {optimizer.lr: 1e-4}
//   grid:                                 # every combination; `seed` is averaged over
//     seed: [0, 1, 2, 3, 4]
//     likelihood.temperature: [1, 0.1]
//   baseline: advi                        # paired differences to this variant on the same seeds
//   metrics: [error, ece, nll]            # columns, keys of evaluation/report.json
//   axis: data.train_size                 # figures against this grid axis, log scale
//
// A grid value may bring further overrides: data.train_size: {100: {train.epochs: 600}, 300: {train.epochs: 200}}.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/run/table.h"

namespace scorevi::run {

struct SweepOverride {
  std::string text;   // "method.name=map"
  std::string place;  // where it stands, "sweep.yaml:7:9"; "" = on the command line
};

struct SweepVariant {
  std::string name;
  std::vector<SweepOverride> overrides;
};

struct SweepValue {
  std::string text;                   // YAML
  std::string place;                  // as of an override
  std::vector<SweepOverride> extras;  // that it brings
};

struct SweepAxis {
  std::string key;
  std::vector<SweepValue> values;  // no text and no number twice
};

struct SweepOptions {
  std::string name;
  std::string path;                   // the sweep file
  std::string base;                   // path of the base configuration
  std::vector<SweepOverride> common;  // overrides of the base for all members
  std::vector<SweepVariant> variants;
  std::vector<SweepAxis> grid;
  std::string baseline;  // "" = none
  std::vector<std::string> metrics = {"error", "ece", "nll"};
  std::string axis;                      // "" = none
  std::vector<SweepOverride> overrides;  // for every member, after those of variant and grid
};

// Reads a sweep file. Overrides are "key=value": name, baseline, metrics and axis change the sweep,
// `grid.KEY=[...]` adds or replaces an axis; every other key goes to all members. Throws ConfigError
// with every error at file:line:column: unknown or duplicate keys, wrong types, empty or repeated
// grid values, a key with two values (in variant and grid), a baseline or axis that does not exist.
SweepOptions load_sweep(const std::string& path, const std::vector<std::string>& overrides = {});

struct SweepMember {
  std::string id;  // psm__likelihood.temperature=0.1__seed=3: also its folder
  std::string variant;
  std::string seed;               // "" when the grid has no seed
  std::vector<std::string> axes;  // grid values without the seed, in grid order
  std::vector<SweepOverride> overrides;
};

// variants x grid: combinations of axis values outermost (the first axis slowest), then variants, then
// seeds. Ids are unique and safe as file names.
std::vector<SweepMember> expand_sweep(const SweepOptions& options);

// The variant of a run that is a member of a sweep, by its folder; "" for other runs.
std::string sweep_variant(const std::string& run_path);

// Grid keys without the seed.
std::vector<std::string> sweep_axes(const SweepOptions& options);

// SHA-256 of what a member begins with, "" = not known.
struct MemberInputs {
  std::string data, weights;
};

struct SweepRunOptions {
  std::string out;                           // "" = runs/<sweep name>
  int jobs = 0;                              // children at once, sharing the cores; 0 = one per core, at most 8
  std::string program;                       // "" = this program
  std::vector<std::string> train_arguments;  // added to every `scorevi train`: --limit-batches 3

  // Members that were made with another configuration or on other data, or are damaged, are refused; with `redo` their
  // folders are deleted and they run again.
  bool redo = false;

  // Checks the configuration of a member, throwing what is wrong, and returns the text that
  // `scorevi train` would write to config.resolved.yaml. Called for all members before the first
  // starts, so that all errors are told at once. A folder with the same text is the same run.
  std::function<std::string(const std::string& base, const std::vector<SweepOverride>& overrides)> validate;

  // What a member would be trained on and begin with now, to be compared with what its run.json says. Called for
  // members that have results; unset: not compared.
  std::function<MemberInputs(const std::string& base, const std::vector<SweepOverride>& overrides)> inputs;
};

struct SweepOutcome {
  std::string folder;
  int finished = 0;                                         // now
  int skipped = 0;                                          // finished before
  int signal = 0;                                           // that ended it early, else 0
  std::vector<std::pair<std::string, std::string>> failed;  // member id, how and its last log lines
};

// Runs what is not yet finished; unfinished members with a checkpoint are resumed. A failing member
// does not stop the others. A pending signal (core/signals.h) is passed on to the children, which save
// and end; the log then says how to go on. Progress goes to the log, one line per member.
// Error(kUsage): bad configuration, a folder with files of others or of another configuration or other data, another
// sweep at work in it.
SweepOutcome run_sweep(const SweepOptions& options, const SweepRunOptions& run);

// The finished members in `folder` as a table; the others become notes.
ResultTable sweep_results(const SweepOptions& options, const std::string& folder);

// table.md, results.csv, report.html, figures/*.svg in `folder`.
void write_sweep_results(const SweepOptions& options, const ResultTable& table, const std::string& folder);

}  // namespace scorevi::run
