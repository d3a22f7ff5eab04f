// What the engines of a full Gaussian share: drawing a batch of scores, optimiser steps on the mean and the factor,
// new factors from square roots of a covariance, and what is measured. Doubles on the CPU, rows are samples.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/inference/engine.h"
#include "scorevi/inference/full_update.h"
#include "scorevi/inference/options.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::inference {

// The family as the full Gaussian that check_combination promised.
variational::FullGaussian& full_gaussian(variational::Family& family, const LogDensity& target);

// theta_b = m + L eps_b of b < M draws of N(m, L L^T), and the score of log_density there, without the prior.
struct Batch {
  at::Tensor noise, theta, score;  // [M, D]
};

// What becomes of a batch in which a density or a score is not finite. Closed forms go on without such draws: with many
// draws of a wide q there would always be one.
enum class BadDraws { kRefuseStep, kLeaveOut };

// Evaluates the target M times; stats take the mean log density. Nothing: refuse the step, stats say why.
std::optional<Batch> draw_batch(LogDensity& target, const at::Tensor& mean, const at::Tensor& factor, int64_t samples,
                                const StepInfo& info, BadDraws bad_draws, StepStats& stats);

// The prior by coordinate [D]; precision 0 is uninformative. All zero where the target has none.
struct PriorVectors {
  at::Tensor mean, precision;
  // Scores of the prior at theta [M, D].
  at::Tensor score(const at::Tensor& theta) const;
};
PriorVectors prior_vectors(const LogDensity& target);

// One step of an engine without state: a batch from q, the update that it gives, what was measured. An update without
// a covariance, or with values that are not finite, leaves q as it is (kBadUpdate).
StepStats closed_form_step(
    LogDensity& target, variational::Family& family, const GaussianOptions& options, const StepInfo& info,
    const std::function<FullUpdate(const variational::FullGaussian&, const ScoredDraws&)>& update);

// The draws in the coordinates in which q is N(0, I): scores L^T g_b.
struct White {
  at::Tensor noise, score;  // [B, D]
  double matching = 0;
};
White whiten(const variational::FullGaussian& q, const ScoredDraws& draws);

// The factor L, L L^T = root root^T, of a square root that need not be triangular, by a QR decomposition: O(D^3).
at::Tensor triangular(const at::Tensor& root);

// KL(q || prior), an uninformative coordinate adding minus its entropy, and from it the negative ELBO as the loss.
void measure_elbo(const LogDensity& target, const variational::FullGaussian& q, StepStats& stats);
// Marginal standard deviations. kDiverged where one is outside the limits, where q is not finite, or its factor
// singular.
void measure_family(const variational::FullGaussian& q, const GaussianOptions& limits, StepStats& stats);

// An optimiser of the mean and the factor. Settings by parameter name hold for the rows of the factor; weight decay
// for the mean alone.
class FullOptimizer {
 public:
  FullOptimizer(const optim::OptimizerOptions& options, const params::FlatLayout& layout, const at::Tensor& like);

  // One step along gradients [D] and [D, D] (0 above the diagonal) times `scale`, clipped by their joint norm where the
  // options say so. A column whose diagonal element became negative is turned around, its momentum too: Sigma stays.
  void step(const at::Tensor& mean_gradient, const at::Tensor& factor_gradient, double scale, double lr_factor,
            variational::FullGaussian& q, StepStats& stats);
  void save(params::StateDict& state, const params::FlatLayout& layout) const;
  void load(const params::StateDict& state, const params::FlatLayout& layout);
  std::vector<std::string> buffers() const;

 private:
  optim::Optimizer mean_, factor_;
};

}  // namespace scorevi::inference
