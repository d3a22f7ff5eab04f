#include "trainer.h"

#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "file_lines.h"
#include "predictor.h"
#include "progress.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/run_engine.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/run/engine_factory.h"
#include "sigma_summary.h"
#include "stored_run.h"

namespace scorevi::run {

// What one row of metrics.csv shows beside the sums of the epoch.
struct EpochValues {
  int64_t epoch = 0;  // from 1
  SigmaQuantiles sigma{};
  bool validated = false;
  Validation validation{};
  double train_s = 0, eval_s = 0;
};

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const std::vector<std::string>& timing_columns() {
  static const std::vector<std::string> kColumns = {"epoch", "train_s", "eval_s", "rows_per_s"};
  return kColumns;
}

std::string advice_for(inference::StepStatus status, const RunOptions& options) {
  const MethodOptions& method = options.method;
  const std::string start = ", or a posterior.init_std nearer to prior.std";
  const bool learns_noise = options.likelihood.name == "gaussian" && options.likelihood.noise == "learned";
  const std::string data =
      std::string(", schedule.warmup_steps, or look for extreme values in the data") +
      (learns_noise ? "; where the network fits the targets without error, set likelihood.noise: fixed" : "");
  const bool diverged = status == inference::StepStatus::kDiverged;
  if (method.name == "bam") return "try a smaller method.lambda" + (diverged ? start : ", or more method.samples");
  const std::string smaller = uses_optimizer(method) ? "try a smaller optimizer.lr, optimizer.clip_norm"
                                                     : "try a smaller method.mean_step and method.beta";
  const bool exploded = status == inference::StepStatus::kExploded;
  return smaller + (diverged ? start : data) + (exploded ? "; train.max_loss sets what counts as exploded" : "");
}

}  // namespace

Trainer::Trainer(Experiment& experiment, const RunDirectory& directory, const TrainerOptions& options)
    : experiment_(experiment),
      directory_(directory),
      options_(options),
      nll_offset_(experiment.nll_offset()),
      buffers_(*experiment.network),
      batches_per_epoch_(options.limit_batches > 0 ? std::min(options.limit_batches, experiment.train_loader.batches())
                                                   : experiment.train_loader.batches()),
      total_steps_(batches_per_epoch_ * experiment.options.train.epochs),
      schedule_(experiment.options.schedule, total_steps_, batches_per_epoch_) {}

Trainer::~Trainer() = default;

void Trainer::open_files(bool go_on) {
  const CsvWriter::Mode mode = go_on ? CsvWriter::Mode::kAppend : CsvWriter::Mode::kCreate;
  metrics_ = std::make_unique<CsvWriter>(directory_.file(files::kMetrics), metrics_columns(), mode);
  timing_ = std::make_unique<CsvWriter>(directory_.file(files::kTiming), timing_columns(), mode);
  steps_ = std::make_unique<StepLog>(directory_.file(files::kSteps), go_on);
}

void Trainer::resume() {
  const params::StateDict dict = load_run_checkpoint(directory_, files::kLast);
  const params::FlatLayout& layout = experiment_.target->layout();
  experiment_.family->load(dict, layout);
  experiment_.engine->load(dict, layout);
  load_buffers(*experiment_.network, dict);
  experiment_.target->load(dict);
  schedule_.load(dict);
  state_.load(dict);
  if (state_.batches_per_epoch != batches_per_epoch_)
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: the run has {} batches per epoch, resuming with {} would make it another run; give the "
                    "same --limit-batches",
                    directory_.path(), state_.batches_per_epoch, batches_per_epoch_));
  if (state_.step > total_steps_)
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the run has made {} steps, expected train.epochs for at least as many",
                            directory_.path(), state_.step));
  if (file_bytes(directory_.file(files::kMetrics)) < state_.metrics_bytes)
    log().warn("{}: rows of earlier epochs are missing; training goes on without them",
               directory_.file(files::kMetrics));
  const int64_t patience = experiment_.options.train.patience;
  state_.stopped_early = patience > 0 && state_.bad_evaluations >= patience;
  truncate_file(directory_.file(files::kMetrics), state_.metrics_bytes);
  keep_lines(directory_.file(files::kTiming), 1 + state_.step / batches_per_epoch_);
  truncate_file(directory_.file(files::kSteps), state_.steps_bytes);
  if (state_.step > 0)
    last_lr_ =
        learning_rate(experiment_.options.method, experiment_.options.optimizer) * schedule_.factor(state_.step - 1);
  open_files(/*go_on=*/true);
}

TrainEnd Trainer::train() {
  if (!metrics_) open_files(/*go_on=*/false);
  bar_ = std::make_unique<ProgressBar>(options_.progress, total_steps_, state_.step);
  TrainEnd end = TrainEnd::kInterrupted;
  try {
    if (epoch_is_open()) finish_epoch();
    end = run_epochs();
  } catch (const Interrupted&) {
    SCOREVI_CHECK(epoch_is_open());
  }
  save_last();
  record();
  if (state_.refused_steps > 0)
    log().warn("{} of {} steps were left out (train.max_refused_steps)", state_.refused_steps, state_.step);
  if (end == TrainEnd::kFinished && state_.step > 0 && state_.refused_steps == state_.step)
    throw Error(ErrorKind::kNumerical,
                fmt::format("every one of the {} steps was left out: nothing was learned; {}", state_.step,
                            advice_for(inference::StepStatus::kExploded, experiment_.options)));
  return end;
}

TrainEnd Trainer::run_epochs() {
  const TrainOptions& train = experiment_.options.train;
  TrainEnd end = TrainEnd::kFinished;
  while (state_.step < total_steps_ && !state_.stopped_early) {
    const int64_t epoch = state_.step / batches_per_epoch_;
    data::BatchStream stream = experiment_.train_loader.stream(epoch, state_.step % batches_per_epoch_);
    const Clock::time_point start = Clock::now();
    epoch_rows_ = 0;
    while (state_.step < (epoch + 1) * batches_per_epoch_) {
      train_step(*stream.next());
      if (must_stop(end) && state_.step % batches_per_epoch_ != 0) return end;
      if (train.checkpoint_every_steps > 0 && state_.step % train.checkpoint_every_steps == 0 &&
          state_.step % batches_per_epoch_ != 0)
        save_last();
    }
    train_seconds_ = seconds_since(start);
    finish_epoch();
    if (must_stop(end) && state_.step < total_steps_ && !state_.stopped_early) return end;
  }
  if (state_.stopped_early)
    log().info("stopped early: {} did not improve in {} evaluations (train.patience)", train.monitor, train.patience);
  return TrainEnd::kFinished;
}

bool Trainer::must_stop(TrainEnd& end) const {
  if (pending_signal() != 0) {
    end = TrainEnd::kInterrupted;
    return true;
  }
  if (options_.max_steps > 0 && made_ >= options_.max_steps) {
    end = TrainEnd::kStepLimit;
    return true;
  }
  return false;
}

void Trainer::train_step(const data::Batch& batch) {
  const RunOptions& options = experiment_.options;
  inference::StepInfo info;
  info.seed = static_cast<uint64_t>(options.seed);
  info.step = state_.step;
  info.total_steps = total_steps_;
  info.lr_factor = schedule_.factor(state_.step);
  info.max_loss = options.train.max_loss;
  experiment_.target->set_step(info.seed, info.step);
  experiment_.target->set_batch(batch.inputs, batch.targets);
  buffers_.keep();
  const inference::StepStats stats = experiment_.engine->step(*experiment_.target, *experiment_.family, info);
  last_lr_ = learning_rate(options.method, options.optimizer) * info.lr_factor;
  ++state_.step;
  ++made_;
  epoch_rows_ += batch.inputs.size(0);
  state_.evaluations += stats.evaluations;
  if (stats.status != inference::StepStatus::kOk) {
    leave_out(stats);
    return;
  }
  state_.refused_in_a_row = 0;
  refusal_told_ = false;
  state_.epoch.add(stats, experiment_.target->loss_scale());
  const int64_t every = options.train.log_every_steps;
  if (every > 0 && state_.step % every == 0)
    steps_->write(state_.step, batch.epoch + 1, last_lr_,
                  -stats.log_density * experiment_.target->loss_scale() + nll_offset_, stats);
  bar_->update(state_.step, batch.epoch, options.train.epochs, stats.loss, last_lr_, batch.inputs.size(0));
}

void Trainer::leave_out(const inference::StepStats& stats) {
  using Status = inference::StepStatus;
  const std::string trouble = inference::describe_trouble(stats, experiment_.target->layout());
  const int64_t allowed = stats.status == Status::kBadUpdate ? inference::LoopOptions{}.max_bad_updates
                                                             : experiment_.options.train.max_refused_steps;
  if (stats.status == Status::kDiverged || state_.refused_in_a_row >= allowed) fail(stats.status, trouble);
  buffers_.put_back();
  bar_->clear();
  if (!refusal_told_) log().warn("step {} left out: {}", state_.step, trouble);
  refusal_told_ = true;
  ++state_.refused_in_a_row;
  ++state_.refused_steps;
  ++state_.epoch.steps;
  ++state_.epoch.refused;
}

void Trainer::record() const {
  directory_.update(
      {{"steps", state_.step}, {"evaluations", state_.evaluations}, {"refused_steps", state_.refused_steps}});
}

void Trainer::fail(inference::StepStatus status, const std::string& trouble) {
  bar_->clear();
  record();
  const std::string before = state_.refused_in_a_row == 0
                                 ? ""
                                 : fmt::format(" after {} steps in a row that were left out (train.max_refused_steps)",
                                               state_.refused_in_a_row);
  const std::string saved = directory_.has(files::kLast)
                                ? "the last good checkpoint is " + directory_.file(files::kLast)
                                : "no checkpoint had been made yet";
  throw Error(ErrorKind::kNumerical, fmt::format("training stopped at step {} (epoch {}){}: {}; {}; {}", state_.step,
                                                 (state_.step - 1) / batches_per_epoch_ + 1, before, trouble,
                                                 advice_for(status, experiment_.options), saved));
}

void Trainer::finish_epoch() {
  const TrainOptions& train = experiment_.options.train;
  EpochValues values;
  values.epoch = state_.step / batches_per_epoch_;
  values.train_s = train_seconds_;
  values.sigma = sigma_quantiles(*experiment_.family);
  const bool last = state_.step >= total_steps_;
  if ((values.epoch % train.eval_every == 0 || last) && !experiment_.data.split.validation.empty())
    validate_epoch(values);
  write_row(values);
  state_.epoch = EpochSums{};
  if (values.validated && state_.best_step == state_.step) save_best();
  if (values.epoch % train.checkpoint_every == 0) save_last();
}

void Trainer::validate_epoch(EpochValues& values) {
  const TrainOptions& train = experiment_.options.train;
  const Clock::time_point start = Clock::now();
  values.validation = validate(experiment_);
  values.validated = true;
  values.eval_s = seconds_since(start);
  const double monitored = values.validation.value(train.monitor);
  schedule_.observe(monitored);
  if (std::isfinite(monitored) && !(monitored >= state_.best)) {
    state_.best = monitored;
    state_.best_step = state_.step;
    state_.bad_evaluations = 0;
  } else {
    ++state_.bad_evaluations;
    state_.stopped_early = train.patience > 0 && state_.bad_evaluations >= train.patience;
  }
}

void Trainer::write_row(const EpochValues& v) {
  const EpochSums& sums = state_.epoch;
  const double scale = experiment_.target->loss_scale();
  CsvRow row;
  row.add(v.epoch)
      .add(state_.step)
      .add(last_lr_)
      .add(sums.alpha)
      .add(sums.mean(sums.loss))
      .add(sums.mean(sums.nll) + nll_offset_);
  row.add(sums.kl).add(sums.kl * scale).add(sums.mean(sums.matching)).add(sums.mean(sums.proximal));
  row.add(sums.mean(sums.gradient_norm));
  row.add(v.sigma.min).add(v.sigma.p05).add(v.sigma.p50).add(v.sigma.p95).add(v.sigma.max);
  for (const double value : {v.validation.nll, v.validation.error, v.validation.ece, v.validation.rmse}) {
    if (v.validated)
      row.add(value);
    else
      row.add_empty();
  }
  metrics_->write(row);
  const auto rows = static_cast<double>(epoch_rows_);
  timing_->write(CsvRow().add(v.epoch).add(v.train_s).add(v.eval_s).add(v.train_s > 0 ? rows / v.train_s : 0.0));

  if (!v.validated && v.epoch % experiment_.options.train.eval_every != 0) return;
  bar_->clear();
  std::string line = fmt::format("epoch {}/{}  nll {:.4g}", v.epoch, experiment_.options.train.epochs,
                                 sums.mean(sums.nll) + nll_offset_);
  if (std::isfinite(v.sigma.p50)) line += fmt::format("  kl_scaled {:.4g}  sigma {:.3g}", sums.kl * scale, v.sigma.p50);
  if (v.validated) line += fmt::format("  val_nll {:.4g}", v.validation.nll);
  if (v.validated && experiment_.data.classification())
    line += fmt::format("  val_error {:.2f} %  val_ece {:.2f} %", 100 * v.validation.error, 100 * v.validation.ece);
  if (v.validated && !experiment_.data.classification()) line += fmt::format("  val_rmse {:.4g}", v.validation.rmse);
  log().info("{}", line);
}

void Trainer::save_last() {
  if (saved_step_ == state_.step) return;
  state_.batches_per_epoch = batches_per_epoch_;
  state_.metrics_bytes = file_bytes(directory_.file(files::kMetrics));
  state_.steps_bytes = file_bytes(directory_.file(files::kSteps));
  params::StateDict dict;
  const params::FlatLayout& layout = experiment_.target->layout();
  experiment_.family->save(dict, layout);
  experiment_.engine->save(dict, layout);
  save_buffers(*experiment_.network, dict);
  experiment_.target->save(dict);
  schedule_.save(dict);
  state_.save(dict);
  dict.set_string(kRunIdKey, directory_.id());
  io::save_checkpoint(directory_.file(files::kLast), dict);
  saved_step_ = state_.step;
}

void Trainer::save_best() const {
  params::StateDict dict;
  experiment_.family->save(dict, experiment_.target->layout());
  save_buffers(*experiment_.network, dict);
  dict.set_int("run.step", state_.step);
  dict.set_int("run.batches_per_epoch", batches_per_epoch_);
  dict.set_double("run.best", state_.best);
  dict.set_string(kRunIdKey, directory_.id());
  io::save_checkpoint(directory_.file(files::kBest), dict);
}

}  // namespace scorevi::run
