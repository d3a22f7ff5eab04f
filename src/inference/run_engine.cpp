#include "scorevi/inference/run_engine.h"

#include <fmt/format.h>

namespace scorevi::inference {
namespace {

void end_by_verdict(const Convergence& convergence, RunSummary& summary) {
  const bool converged = convergence.verdict() == Verdict::kConverged;
  summary.termination = converged ? Termination::kConverged : Termination::kDiverged;
  const ConvergenceLook moving = convergence.moving();
  summary.message = converged ? fmt::format("converged after {} steps: ELBO {:.4g}, standard error {:.2g}", moving.step,
                                            moving.elbo, moving.standard_error)
                              : fmt::format("diverged: the ELBO is not finite after {} steps", moving.step);
}

}  // namespace

std::string describe_trouble(const StepStats& stats, const params::FlatLayout& layout) {
  const std::string where = stats.bad_index < 0 ? "" : " at " + layout.element_name(stats.bad_index);
  switch (stats.status) {
    case StepStatus::kOk:
      return "no trouble";
    case StepStatus::kNonFiniteDensity:
      return fmt::format("log density is not finite ({})", stats.log_density);
    case StepStatus::kExploded:
      return fmt::format("the loss exploded (log density {:.4g})", stats.log_density);
    case StepStatus::kNonFiniteScore:
      return fmt::format("score is not finite{} ({} of {} entries)", where, stats.nonfinite, layout.dim());
    case StepStatus::kBadUpdate:
      return fmt::format("the update left no positive definite covariance and was undone{}", where);
    case StepStatus::kDiverged:
      if (stats.nonfinite > 0)
        return fmt::format("the step left values that are not finite{} ({} of {} entries)", where, stats.nonfinite,
                           layout.dim());
      return fmt::format("sigma left its limits{} (smallest {:.3g}, largest {:.3g})", where, stats.sigma_min,
                         stats.sigma_max);
  }
  return "";
}

RunSummary run_engine(Engine& engine, LogDensity& target, variational::Family& family, const LoopOptions& options,
                      Observer* observer) {
  Observer nobody;
  Observer& listener = observer ? *observer : nobody;
  RunSummary summary;
  int64_t refused_in_a_row = 0;
  for (int64_t step = options.first_step; step < options.steps; ++step) {
    if (options.before_step) options.before_step(step);
    StepInfo info;
    info.seed = options.seed;
    info.step = step;
    info.total_steps = options.steps;
    info.max_loss = options.max_loss;
    if (options.lr_factor) info.lr_factor = options.lr_factor(step);
    summary.last = engine.step(target, family, info);
    summary.steps += 1;
    summary.evaluations += summary.last.evaluations;
    listener.on_step(info, summary.last);

    const StepStatus status = summary.last.status;
    const bool refused = status != StepStatus::kOk && status != StepStatus::kDiverged;
    summary.refused_steps += refused ? 1 : 0;
    refused_in_a_row = refused ? refused_in_a_row + 1 : 0;
    const int64_t allowed = status == StepStatus::kBadUpdate ? options.max_bad_updates : options.max_nonfinite_steps;
    if (status == StepStatus::kDiverged || refused_in_a_row > allowed) {
      summary.termination = Termination::kDiverged;
      summary.message = fmt::format("stopped at step {}: {}", step, describe_trouble(summary.last, target.layout()));
      listener.on_end(summary.message);
      return summary;
    }
    if (options.convergence && options.convergence->after_step(target, family, info, summary.last)) {
      end_by_verdict(*options.convergence, summary);
      listener.on_end(summary.message);
      return summary;
    }
  }
  summary.message = fmt::format("made {} steps", summary.steps);
  listener.on_end(summary.message);
  return summary;
}

}  // namespace scorevi::inference
