#include "run_state.h"

namespace scorevi::run {

void EpochSums::add(const inference::StepStats& stats, double loss_scale) {
  ++steps;
  loss += stats.loss;
  nll += -stats.log_density * loss_scale;
  matching += stats.matching;
  proximal += stats.proximal;
  gradient_norm += stats.gradient_norm;
  kl = stats.kl;
  alpha = stats.alpha;
}

double EpochSums::mean(double sum) const {
  return steps > refused ? sum / static_cast<double>(steps - refused) : std::numeric_limits<double>::quiet_NaN();
}

void RunState::save(params::StateDict& dict) const {
  dict.set_int("run.batches_per_epoch", batches_per_epoch);
  dict.set_int("run.step", step);
  dict.set_int("run.epoch.steps", epoch.steps);
  dict.set_int("run.epoch.refused", epoch.refused);
  dict.set_double("run.epoch.loss", epoch.loss);
  dict.set_double("run.epoch.nll", epoch.nll);
  dict.set_double("run.epoch.matching", epoch.matching);
  dict.set_double("run.epoch.proximal", epoch.proximal);
  dict.set_double("run.epoch.gradient_norm", epoch.gradient_norm);
  dict.set_double("run.epoch.kl", epoch.kl);
  dict.set_double("run.epoch.alpha", epoch.alpha);
  dict.set_double("run.best", best);
  dict.set_int("run.best_step", best_step);
  dict.set_int("run.bad_evaluations", bad_evaluations);
  dict.set_int("run.stopped_early", stopped_early ? 1 : 0);
  dict.set_int("run.evaluations", evaluations);
  dict.set_int("run.refused_steps", refused_steps);
  dict.set_int("run.refused_in_a_row", refused_in_a_row);
  dict.set_int("run.metrics_bytes", metrics_bytes);
  dict.set_int("run.steps_bytes", steps_bytes);
}

void RunState::load(const params::StateDict& dict) {
  batches_per_epoch = dict.get_int("run.batches_per_epoch");
  step = dict.get_int("run.step");
  epoch.steps = dict.get_int("run.epoch.steps");
  epoch.refused = dict.get_int("run.epoch.refused");
  epoch.loss = dict.get_double("run.epoch.loss");
  epoch.nll = dict.get_double("run.epoch.nll");
  epoch.matching = dict.get_double("run.epoch.matching");
  epoch.proximal = dict.get_double("run.epoch.proximal");
  epoch.gradient_norm = dict.get_double("run.epoch.gradient_norm");
  epoch.kl = dict.get_double("run.epoch.kl");
  epoch.alpha = dict.get_double("run.epoch.alpha");
  best = dict.get_double("run.best");
  best_step = dict.get_int("run.best_step");
  bad_evaluations = dict.get_int("run.bad_evaluations");
  stopped_early = dict.get_int("run.stopped_early") != 0;
  evaluations = dict.get_int("run.evaluations");
  refused_steps = dict.get_int("run.refused_steps");
  refused_in_a_row = dict.get_int("run.refused_in_a_row");
  metrics_bytes = dict.get_int("run.metrics_bytes");
  steps_bytes = dict.get_int("run.steps_bytes");
}

}  // namespace scorevi::run
