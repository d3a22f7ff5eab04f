// Members whose method moves a variational family.
#include <cmath>

#include <fmt/format.h>

#include "run_member_parts.h"
#include "scorevi/core/error.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/observer.h"
#include "scorevi/inference/registry.h"
#include "scorevi/inference/run_engine.h"
#include "scorevi/optim/schedule.h"
#include "scorevi/run/engine_factory.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"
#include "scorevi/variational/point_mass.h"

namespace scorevi::bench {
namespace {

std::unique_ptr<variational::Family> make_family(const std::string& name, const at::Tensor& mean, double std) {
  if (name == "point_mass") return std::make_unique<variational::PointMass>(mean.clone());
  if (name == "full_gaussian")
    return std::make_unique<variational::FullGaussian>(variational::FullGaussian::from_mean(mean, std));
  return std::make_unique<variational::DiagonalGaussian>(variational::DiagonalGaussian::from_mean(mean, std));
}

constexpr int64_t kRefusedInARow = 100;  // a target may have places without a density

// The steps, counted from 0, before which a curve is measured: equally spaced in the logarithm.
std::vector<int64_t> curve_steps(int64_t steps, int64_t points) {
  std::vector<int64_t> chosen = {0};
  for (int64_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points);
    const auto step = static_cast<int64_t>(std::llround(std::pow(static_cast<double>(steps), share)));
    if (step > chosen.back() && step < steps) chosen.push_back(step);
  }
  return chosen;
}

// Of the score, for one step.
int64_t evaluations_of(const run::MethodOptions& method) {
  if (method.is_point()) return 1;
  const bool products = inference::find_method(method.name).needs.hessian_product;
  return method.samples * (1 + (products ? inference::kHessianProductCost : 0));
}

const char* outcome_of(inference::Termination termination) {
  switch (termination) {
    case inference::Termination::kMaxSteps:
      return "finished";
    case inference::Termination::kConverged:
      return "converged";
    case inference::Termination::kDiverged:
      return "diverged";
  }
  return "";
}

// Evaluations so far: a refused step may make fewer than others.
class EvaluationCount final : public inference::Observer {
 public:
  void on_step(const inference::StepInfo& /*info*/, const inference::StepStats& stats) override {
    total_ += stats.evaluations;
  }
  int64_t total() const { return total_; }

 private:
  int64_t total_ = 0;
};

// How the run ended. One that could make less than half of its steps found nothing, however it ended.
void judge(const inference::RunSummary& summary, const params::FlatLayout& layout, MemberResult& result) {
  result.outcome = outcome_of(summary.termination);
  if (summary.termination != inference::Termination::kMaxSteps) {
    result.message = summary.message;
  } else if (summary.refused_steps > 0) {
    result.message = fmt::format("{} of {} steps were refused", summary.refused_steps, summary.steps);
    if (2 * summary.refused_steps <= summary.steps) return;
    result.outcome = "diverged";
    if (summary.last.status != inference::StepStatus::kOk)
      result.message += ": " + inference::describe_trouble(summary.last, layout);
  }
}

// Measures on the way; the time that takes is not the method's.
class Recorder {
 public:
  Recorder(Workplace& place, MemberResult& result) : place_(place), result_(result) {}

  void record(const variational::Family& family, int64_t evaluations, bool final) {
    const double now = clock_.seconds();
    const int64_t all = place_.options.final_draws;
    const int64_t draws = final ? all : std::max<int64_t>(20, all / 10);
    result_.curve.push_back(
        {evaluations, now,
         measure(approximation_of(family), place_.whole(), place_.truth, draws, place_.seed(), final)});
    clock_.leave_out_since(now);
  }

  double seconds() const { return clock_.seconds(); }

 private:
  Workplace& place_;
  MemberResult& result_;
  Stopwatch clock_;
};

}  // namespace

void run_engine_member(Workplace& place, MemberResult& result) {
  const MethodEntry& entry = place.method();
  targets::AnalyticTarget& target = *place.target.density;
  const at::Tensor start = start_mean(place.options, place.member, target.dim());
  inference::check_target(entry.method.name, target);
  const auto engine = run::make_engine(entry.method, family_of(entry), entry.optimizer, target.layout(), start);
  const auto family = make_family(family_of(entry), start, place.member.start_std);

  inference::LoopOptions loop;
  const int64_t per_step = evaluations_of(entry.method);
  if (per_step > place.options.evaluations)
    throw Error(ErrorKind::kUsage, fmt::format("method {}: a step takes {} evaluations, got {} for the whole run",
                                               entry.method.name, per_step, place.options.evaluations));
  loop.steps = place.options.evaluations / per_step;
  loop.seed = place.seed();
  loop.max_nonfinite_steps = kRefusedInARow;
  const optim::Schedule schedule(entry.schedule, loop.steps, /*steps_per_epoch=*/1);
  loop.lr_factor = [&](int64_t step) { return place.member.rate_factor * schedule.factor(step); };
  const std::vector<int64_t> measured = curve_steps(loop.steps, place.options.points);
  std::size_t next = 0;
  Recorder recorder(place, result);
  EvaluationCount evaluations;
  loop.before_step = [&](int64_t step) {
    stop_if_signalled();
    if (next < measured.size() && step == measured[next]) {
      recorder.record(*family, evaluations.total(), /*final=*/false);
      ++next;
    }
    target.begin_step(loop.seed, step);
  };
  inference::ConvergenceOptions rule;
  rule.stop = true;
  inference::Convergence convergence(rule);
  if (place.options.stop && !entry.method.is_point()) loop.convergence = &convergence;  // a point has no ELBO
  const inference::RunSummary summary = inference::run_engine(*engine, target, *family, loop, &evaluations);
  result.evaluations = summary.evaluations;
  result.seconds = recorder.seconds();
  judge(summary, target.layout(), result);
  const bool exact = place.options.targets[place.member.target].target.batch_frac == 1;
  if (exact && convergence.best_step() >= 0) convergence.restore_best(*family);
  recorder.record(*family, result.evaluations, /*final=*/true);
  keep_picture(approximation_of(*family), result);
}

}  // namespace scorevi::bench
