// The training loop of a run: batches to the engine, schedule, validation, checkpoints, the files of the run folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "experiment.h"
#include "run_state.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/optim/schedule.h"
#include "scorevi/run/run_directory.h"
#include "step_log.h"

namespace scorevi::run {

struct TrainerOptions {
  int64_t limit_batches = 0;  // batches per epoch, 0 = all
  int64_t max_steps = 0;      // steps made by this object, then stop; 0 = no limit
  bool progress = true;       // a bar on a terminal
};

enum class TrainEnd {
  kFinished,     // all epochs, or stopped early by patience
  kStepLimit,    // max_steps made; checkpoint saved
  kInterrupted,  // by a signal; checkpoint saved
};

// A resumed run makes the same steps, rows and checkpoints as one that was never interrupted.
class Trainer {
 public:
  Trainer(Experiment& experiment, const RunDirectory& directory, const TrainerOptions& options);
  ~Trainer();

  // Goes on from checkpoints/last.safetensors; what metrics.csv and steps.jsonl hold beyond it is cut off.
  void resume();
  // Error(kNumerical) when q leaves its limits, or a score or the loss the finite range in more steps in a row than
  // train.max_refused_steps: the message names step, parameter and what to try; nothing bad is saved.
  TrainEnd train();

  int64_t total_steps() const { return total_steps_; }
  const RunState& state() const { return state_; }

 private:
  void open_files(bool go_on);
  void train_step(const data::Batch& batch);
  TrainEnd run_epochs();
  // All steps of an epoch are made, but its row is not written: a signal came during its validation.
  bool epoch_is_open() const { return state_.epoch.steps > 0 && state_.step % batches_per_epoch_ == 0; }
  void finish_epoch();
  void validate_epoch(struct EpochValues& values);
  void write_row(const struct EpochValues& values);
  void save_last();
  void save_best() const;
  bool must_stop(TrainEnd& end) const;
  // Counts a step that changed nothing, or ends the run.
  void leave_out(const inference::StepStats& stats);
  // How far it has come, for run.json.
  void record() const;
  [[noreturn]] void fail(inference::StepStatus status, const std::string& trouble);

  Experiment& experiment_;
  RunDirectory directory_;
  TrainerOptions options_;
  double nll_offset_;
  posterior::KeptBuffers buffers_;  // as before the step at hand
  int64_t batches_per_epoch_, total_steps_;
  optim::Schedule schedule_;
  RunState state_;
  int64_t made_ = 0;  // steps made by this object
  double last_lr_ = 0;
  bool refusal_told_ = false;  // of the steps left out in a row
  std::unique_ptr<CsvWriter> metrics_, timing_;
  std::unique_ptr<StepLog> steps_;
  std::unique_ptr<class ProgressBar> bar_;
  double train_seconds_ = 0;
  int64_t epoch_rows_ = 0;   // made by this object in the epoch at hand
  int64_t saved_step_ = -1;  // of last.safetensors, as far as this object wrote it
};

}  // namespace scorevi::run
