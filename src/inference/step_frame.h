// What the steps of all engines share: drawing theta, refusing bad values before anything changes, going over
// the ranges of constant settings, clipping, and the checks after the step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scorevi/core/check.h"
#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"
#include "scorevi/kernels/update.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/params/tensor_exec.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/dtype_dispatch.h"

namespace scorevi::inference {

// All values that a method may not have at NaN.
StepStats blank_stats();

// The family as the diagonal Gaussian that check_combination promised.
variational::DiagonalGaussian& diagonal_gaussian(variational::Family& family, const LogDensity& target);

// The noise of the first sample of a step.
kernels::NoiseKey noise_key(const StepInfo& info);

// A range with one prior standard deviation and one rule of the optimiser, of Gaussians or of points.
struct JointRange : params::Range {
  double prior_std = 0;
  int optimizer_range = -1;  // index into the optimiser's ranges, -1 without optimiser
  bool point = false;        // moves as under MAP
};

// The common refinement of the prior's groups (none: uninformative everywhere), the optimiser's ranges and the points
// of a family.
std::vector<JointRange> joint_ranges(const GaussianPrior* prior, const optim::Optimizer* optimizer, int64_t dim,
                                     const std::vector<params::Range>& points = {});

// How many entries are not finite, the first of them, and the sum of squares in doubles.
kernels::FiniteCheck finite_check(const at::Tensor& values);

// False, told in stats (kNonFiniteScore), where an entry is not finite.
bool is_finite_score(const at::Tensor& score, StepStats& stats);

// Evaluates at target.point() and checks the result. Non-finite values are told in stats; nothing else happens.
// Returns the score, or nothing when the step must be refused.
std::optional<at::Tensor> checked_score(LogDensity& target, const StepInfo& info, StepStats& stats);

// A pair of buffers that take running means over samples; undefined when one sample is drawn per step.
struct Accumulators {
  const at::Tensor& score_mean;
  const at::Tensor& score_noise;
};

// Draws theta_i = mean + exp(log_std) eps_i for i < samples and evaluates the target at each. Fills in.score,
// in.score_noise, in.key, in.samples. visit(one) sees each sample as an input of its own. False: refuse the step.
template <class T, class Visit>
bool gather_scores(LogDensity& target, const StepInfo& info, const at::Tensor& mean, const at::Tensor& log_std,
                   int64_t samples, const Accumulators& sums, at::Tensor& score, kernels::UpdateInput<T>& in,
                   StepStats& stats, Visit&& visit) {
  const kernels::Exec exec = params::exec_for(mean);
  const int64_t dim = mean.numel();
  at::Tensor theta = target.point();
  double density_sum = 0;
  for (int64_t i = 0; i < samples; ++i) {
    kernels::UpdateInput<T> one = in;
    one.key.sample += static_cast<uint32_t>(i);
    kernels::sample_gaussian<T>(exec, 0, dim, one.key, mean.data_ptr<T>(), log_std.data_ptr<T>(), theta.data_ptr<T>());
    const std::optional<at::Tensor> sample_score = checked_score(target, info, stats);
    if (!sample_score) return false;
    density_sum += stats.log_density;
    score = *sample_score;
    one.score = score.data_ptr<T>();
    one.samples = 1;
    visit(one);
    if (samples > 1)
      kernels::accumulate_score<T>(exec, 0, dim, one.key, static_cast<int>(samples), /*first=*/i == 0, one.score,
                                   sums.score_mean.data_ptr<T>(), sums.score_noise.data_ptr<T>());
  }
  stats.log_density = density_sum / static_cast<double>(samples);
  in.samples = static_cast<int>(samples);
  in.score = samples > 1 ? sums.score_mean.data_ptr<T>() : score.data_ptr<T>();
  in.score_noise = samples > 1 ? sums.score_noise.data_ptr<T>() : nullptr;
  return true;
}

// Adds what was measured over points: they have no part in the KL and in the statistics of sigma.
void add_points(kernels::UpdateStats& total, const kernels::UpdateStats& points);

// Runs kernel(input, range) over all ranges and adds up what was measured.
template <class T, class Kernel>
kernels::UpdateStats over_ranges(const std::vector<JointRange>& ranges, kernels::UpdateInput<T> in, Kernel&& kernel) {
  kernels::UpdateStats total;
  for (const JointRange& range : ranges) {
    in.begin = range.begin;
    in.end = range.end;
    in.prior_std = range.prior_std;
    const kernels::UpdateStats part = kernel(in, range);
    if (range.point)
      add_points(total, part);
    else
      total.merge(part);
  }
  return total;
}

// One optimiser step over all ranges: begins it, clips the gradient by its norm where the optimiser asks for it
// (a first pass measures), and hands each range its rule. kernel(input, rule) updates the buffers of a range of
// Gaussians; points are moved here. `mean` is the parameter of the optimiser's slot of that name.
template <class T, class Kernel>
kernels::UpdateStats optimizer_pass(optim::Optimizer& optimizer, const std::vector<JointRange>& ranges,
                                    kernels::UpdateInput<T> in, double lr_factor, const at::Tensor& mean,
                                    StepStats& stats, Kernel&& kernel) {
  optimizer.begin_step();
  const kernels::Exec exec = params::exec_for(mean);
  const auto slot = optimizer.slot<T>("mean", mean);
  const auto pass = [&] {
    return over_ranges<T>(ranges, in, [&](const kernels::UpdateInput<T>& part, const JointRange& range) {
      const kernels::OptimizerRule rule = optimizer.rule(range.optimizer_range, lr_factor);
      return range.point ? kernels::map_update<T>(exec, part, rule, slot) : kernel(part, rule);
    });
  };
  if (optimizer.clips_norm()) {
    in.apply = false;
    stats.gradient_norm = std::sqrt(pass().gradient_sq);
    in.apply = true;
    in.gradient_scale *= optimizer.clip_factor(stats.gradient_norm);
    return pass();
  }
  const kernels::UpdateStats total = pass();
  stats.gradient_norm = std::sqrt(total.gradient_sq);
  return total;
}

// Input of the update kernels with what does not depend on the scores.
template <class T>
kernels::UpdateInput<T> update_input(const LogDensity& target, const StepInfo& info) {
  kernels::UpdateInput<T> in;
  in.key = noise_key(info);
  in.gradient_scale = target.loss_scale();
  if (const GaussianPrior* prior = target.prior(); prior && prior->mean.defined())
    in.prior_mean = prior->mean.template data_ptr<T>();
  return in;
}

// Takes over sigma (NaN where all are points) and the non-finite count, and sets kDiverged with the first element
// concerned where the family left the limits.
void check_gaussian(const kernels::UpdateStats& total, const variational::DiagonalGaussian& family,
                    const GaussianOptions& limits, StepStats& stats);

// The sum of squares, in doubles.
double square_sum(const at::Tensor& values);

// One optimiser step on a parameter buffer along a given gradient times `scale`; weight decay only where `decay`.
// The optimiser's begin_step() comes before.
void apply_gradient(const optim::Optimizer& optimizer, const std::string& slot, const at::Tensor& gradient,
                    double scale, double lr_factor, bool decay, const at::Tensor& parameter);

// Index of the first element that is not finite, -1 when all are.
int64_t first_nonfinite(const at::Tensor& values);

}  // namespace scorevi::inference
