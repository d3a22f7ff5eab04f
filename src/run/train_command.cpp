#include <chrono>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "config_diff.h"
#include "data_files.h"
#include "evaluator.h"
#include "inputs_file.h"
#include "picture_checks.h"
#include "run_info.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/core/terminal.h"
#include "scorevi/run/commands.h"
#include "scorevi/run/engine_factory.h"
#include "scorevi/run/failure.h"
#include "stored_run.h"
#include "trainer.h"

namespace scorevi::run {
namespace {

struct Start {
  LoadedOptions loaded;
  std::string resume;  // folder of the run to go on with, "" = a new run
  std::string out;     // folder of a new run, "" = runs/<name>-<timestamp>
};

// `request.resume` is a run folder.
Start prepare_run(const TrainRequest& request) {
  if (!request.out.empty()) throw Error(ErrorKind::kUsage, "train: --resume DIR goes on in DIR; leave --out away");
  const RunDirectory directory = RunDirectory::open(request.resume);
  Start start;
  start.resume = directory.path();
  const bool begun = directory.has(files::kLast), known = !request.config.empty() || directory.has(files::kResolved);
  if (!begun && (!known || directory.has(files::kReport)))
    throw Error(ErrorKind::kData,
                start.resume + ": holds no " + files::kLast +
                    ", expected a run with a checkpoint; start it anew: scorevi train CONFIG --out DIR");
  start.loaded = request.config.empty() ? load_run_options(directory, request.overrides)
                                        : load_options(request.config, request.overrides);
  if (begun) return start;
  log().info("{}: the run ended before its first checkpoint, it begins anew", start.resume);
  start.out = std::exchange(start.resume, "");
  return start;
}

Start prepare(const TrainRequest& request) {
  if (!request.resume.empty() && request.resume != "auto") return prepare_run(request);
  Start start;
  start.out = request.out;
  const std::string& config = request.config;
  if (config.empty())
    throw Error(
        ErrorKind::kUsage,
        "train: no configuration given, expected a YAML file (also with --resume auto), or --resume DIR of a run");
  start.loaded = load_options(config, request.overrides);
  if (request.resume == "auto") {
    const bool named = !request.out.empty();
    start.resume = named ? request.out : find_unfinished_run(start.loaded.options.name);
    if (named && !std::filesystem::exists(request.out + "/" + files::kLast)) start.resume.clear();
    if (start.resume.empty())
      log().info("resume auto: no unfinished run of {}, starting a new one", start.loaded.options.name);
  }
  return start;
}

void describe_start(const Experiment& experiment, const RunDirectory& directory, int64_t total_steps) {
  const DataParts& data = experiment.data;
  log().info("run {}", directory.path());
  log().info("data {}: {} train, {} validation, {} test rows", data.dataset.name, data.split.train.size(),
             data.split.validation.size(), data.split.test.size());
  log().info("model {}: {} parameters, {} parameter-sized buffers = {}; device {}", experiment.options.model.name,
             experiment.target->dim(), experiment.buffers().size(), format_bytes(experiment.buffer_bytes()),
             experiment.device);
  log().info("method {}: {} epochs, {} steps", experiment.options.method.name, experiment.options.train.epochs,
             total_steps);
  const MethodOptions& method = experiment.options.method;
  if (method.name == "bam")
    log().info("bam: method.lambda and method.decay set the steps, the sections optimizer and schedule are not used");
  else if (!uses_optimizer(method))
    log().info("closed_form with newton: method.mean_step and method.beta are the steps, the optimizer section is {}",
               experiment.options.posterior.rest == "map" ? "for posterior.rest alone" : "not used");
  if (data.split.validation.empty())
    log().info("no validation split: the last weights are evaluated, none are selected");
}

// The failure at hand is the one to tell, also where run.json cannot be written any more.
void mark_failed(const RunDirectory& directory, const std::exception& failure) {
  try {
    directory.set_status(RunStatus::kFailed, failure_text(failure));
  } catch (const std::exception& e) {
    log().warn("{}", e.what());
  }
}

// Adds the training time of this call to that of earlier ones.
void add_seconds(const RunDirectory& directory, double seconds) {
  directory.update({{"train_s", directory.info().value("train_s", 0.0) + seconds}});
}

int end_unfinished(const TrainRequest& request, const RunDirectory& directory, TrainEnd end, int64_t step) {
  std::string how = "go on with: scorevi train --resume " + shell_word(directory.path());
  if (request.limit_batches > 0) how += " --limit-batches " + std::to_string(request.limit_batches);
  if (end == TrainEnd::kStepLimit) {
    directory.set_status(RunStatus::kInterrupted, "step limit");
    log().info("stopped after step {} as asked; {}", step, how);
    return 0;
  }
  directory.set_status(RunStatus::kInterrupted, "signal");
  log().warn("interrupted after step {}, checkpoint saved; {}", step, how);
  return 128 + pending_signal();
}

int train_and_evaluate(const TrainRequest& request, Trainer& trainer, Experiment& experiment,
                       const RunDirectory& directory, std::ostream& out) {
  const auto begin = std::chrono::steady_clock::now();
  describe_start(experiment, directory, trainer.total_steps());
  const TrainEnd end = trainer.train();
  add_seconds(directory, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (end != TrainEnd::kFinished) return end_unfinished(request, directory, end, trainer.state().step);
  const std::string checkpoint = load_weights(experiment, directory);
  const std::string part = evaluated_part(experiment.options, experiment.data.split);
  if (part == "validation" && experiment.options.evaluate.split == "auto")
    log().warn("no test rows (data.test_frac: 0): the validation split is evaluated");
  if (part.empty()) {
    log().warn("no test and no validation rows: nothing was evaluated");
  } else {
    try {
      const EvaluationReport report = evaluate_part(experiment, directory, part, checkpoint, "evaluation");
      out << summary_text(report) << "report: " << directory.file(files::kHtml) << "\n";
    } catch (const Interrupted&) {
      return end_unfinished(request, directory, TrainEnd::kInterrupted, trainer.state().step);
    }
  }
  directory.set_status(RunStatus::kFinished);
  return 0;
}

// From the first step to the report.
int run_training(const TrainRequest& request, Trainer& trainer, Experiment& experiment, const RunDirectory& directory,
                 std::ostream& out) {
  const int code = train_and_evaluate(request, trainer, experiment, directory, out);
  tell_odd_pictures(directory.file(files::kBadPictures), experiment.data.dataset);
  return code;
}

// What run.json and config.resolved.yaml say about the run.
void record_start(const Experiment& experiment, const LoadedOptions& loaded, const RunDirectory& directory) {
  directory.set_resolved(loaded.resolved);
  nlohmann::json info = experiment_info(experiment);
  if (directory.id().empty()) info["id"] = run_id(experiment, loaded.resolved);
  info["environment"] = environment_info();
  directory.update(info);
  directory.set_status(RunStatus::kRunning);
}

TrainerOptions trainer_options(const TrainRequest& request) {
  return {request.limit_batches, request.max_steps, request.progress};
}

// A new run. What is wrong with configuration and data is told before a folder is made.
int train_new(const TrainRequest& request, const Start& start, std::ostream& out) {
  if (!start.out.empty()) RunDirectory::check_new(start.out);
  const LoadedOptions& loaded = start.loaded;
  Experiment experiment = build_training(loaded.options, load_training_data(loaded.options));
  check_evaluated_pictures(experiment.data, loaded.options.data.source);
  const RunDirectory directory = RunDirectory::create(loaded.options.name, start.out);
  try {
    set_log_file(directory.file(files::kLog));
    if (!request.config.empty())
      write_file_atomic(directory.file(files::kConfig), read_file(request.config, 1 << 20, ErrorKind::kUsage));
    data::save_split(directory.file(files::kSplit), experiment.data.split, experiment.data.dataset.size());
    save_inputs(directory, experiment);
    save_data_files(directory, experiment.data.dataset);
    record_start(experiment, loaded, directory);
    Trainer trainer(experiment, directory, trainer_options(request));
    return run_training(request, trainer, experiment, directory, out);
  } catch (const std::exception& e) {
    mark_failed(directory, e);
    throw;
  }
}

DataParts load_resumed_data(const RunOptions& options, const RunDirectory& directory) {
  try {
    DataParts data = load_training_data(options);
    check_same_data(directory, data);
    return data;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(error.kind(), error.what() + std::string(kDataAtAnotherPlace));
  }
}

Experiment build_resumed(const RunOptions& options, const RunDirectory& directory) {
  DataParts data = load_resumed_data(options, directory);
  try {
    return build_training(options, std::move(data));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData || !is_pretrained(options)) throw;
    throw Error(error.kind(), error.what() + std::string("\nthe weights that the run began with at another place: "
                                                         "-s model.weights=FILE"));
  }
}

// A process that was killed between a best checkpoint and the next last one leaves a best of steps that are made again:
// the run must come to the same best, and not end before it.
void check_best_comes_again(const RunDirectory& directory, const std::string& before, const std::string& now) {
  if (before == now || !directory.has(files::kBest)) return;
  const int64_t step = load_run_checkpoint(directory, files::kLast, {"run."}).get_int("run.step");
  const int64_t best = load_run_checkpoint(directory, files::kBest, {"run."}).get_int("run.step");
  if (best <= step) return;
  for (const ConfigDifference& d : config_differences(before, now))
    if (d.key == "train.epochs" || d.key == "train.eval_every" || d.key == "train.patience")
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: {}: run has {}, configuration has {}; the run was stopped after step {} with best "
                              "weights of step {}, expected the run's own value until it has made that step again",
                              directory.path(), d.key, d.before, d.after, step, best));
}

// An earlier evaluation is of other weights than those that are coming.
void remove_report(const RunDirectory& directory) {
  const std::string path = directory.file(files::kReport);
  std::error_code code;
  std::filesystem::remove(path, code);
  if (code) throw Error(ErrorKind::kRuntime, path + ": cannot be removed: " + code.message());
}

// Goes on with a run. What goes wrong before it has begun leaves its state as it was.
int train_on(const TrainRequest& request, const Start& start, std::ostream& out) {
  RunDirectory directory = RunDirectory::open(start.resume);
  directory.lock();
  const std::string saved = directory.resolved();
  check_resumable(directory.path(), saved, start.loaded);
  check_best_comes_again(directory, saved, start.loaded.resolved);
  const bool finished = directory.has_result();
  if (finished && saved == start.loaded.resolved) {
    log().info("{} is finished, nothing to do", directory.path());
    return 0;
  }
  set_log_file(directory.file(files::kLog));
  remove_stale_temporaries(directory.path());
  remove_stale_temporaries(directory.file("checkpoints"));
  Experiment experiment = build_resumed(start.loaded.options, directory);
  check_same_weights(directory, experiment);
  check_evaluated_pictures(experiment.data, start.loaded.options.data.source);
  Trainer trainer(experiment, directory, trainer_options(request));
  trainer.resume();
  try {
    record_start(experiment, start.loaded, directory);
    log().info("resumed after step {}", trainer.state().step);
    if (directory.has(files::kReport) && trainer.state().step < trainer.total_steps()) remove_report(directory);
    return run_training(request, trainer, experiment, directory, out);
  } catch (const std::exception& e) {
    mark_failed(directory, e);
    throw;
  }
}

}  // namespace

int train(const TrainRequest& request, std::ostream& out) {
  const Start start = prepare(request);
  if (request.dry_run) {
    const RunOptions& options = start.loaded.options;
    const Experiment experiment = build_training(options, load_training_data(options));
    out << start.loaded.resolved << "# dry run: " << experiment.target->dim() << " parameters; nothing was trained\n";
    return 0;
  }
  install_signal_handlers();
  return start.resume.empty() ? train_new(request, start, out) : train_on(request, start, out);
}

}  // namespace scorevi::run
