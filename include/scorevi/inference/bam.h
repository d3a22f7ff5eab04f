// Batch and match: from a batch of B draws of q with their scores, the exact minimum of
//   mean_b |grad log q'(theta_b) - score_b|^2_Sigma + (2/lambda) KL(q; q')
// over Gaussians q'. With means and covariances (divided by B) of draws and scores and U = lambda C_g +
// lambda/(1+lambda) g g^T, V = Sigma + lambda C_theta + lambda/(1+lambda) (m - theta)(m - theta)^T: Sigma' solves
// Sigma' U Sigma' + Sigma' = V, and m' = (m + lambda (Sigma' g + theta))/(1 + lambda). lambda says how far a step goes:
// 0 stays, infinity with B = 1 is gsm, and with all of q in the batch a Gaussian target is met in one step. Meant for
// exact scores: another mini-batch per sample raises C_g and narrows q. Loss reported: the negative ELBO of q before
// the step; matching (full covariance): mean |grad log q - score|^2_Sigma over the batch. Source: Cai et al., "Batch
// and match: black-box variational inference with a score-based divergence", ICML 2024 (arXiv 2402.14758).
#pragma once

#include <cstdint>

#include "scorevi/inference/engine.h"
#include "scorevi/inference/options.h"

namespace scorevi::inference {

// lambda at step t: c, c/sqrt(t+1), c/(t+1).
enum class LambdaSchedule { kConstant, kSqrt, kLinear };

struct BamOptions : GaussianOptions {
  LambdaSchedule schedule = LambdaSchedule::kLinear;
  // c, above 0. 0 stands for B D, for the diagonal family B: there every coordinate is a problem of its own.
  double lambda = 0;
  // Added to the variances after every step. It sets a floor to them and ends affine invariance.
  double jitter = 0;
};

// Throws Error(kUsage) naming the first option out of its range.
void validate(const BamOptions& options);

// lambda of a step from 0, for problems of dimension D.
double lambda_at(const BamOptions& options, int64_t step, int64_t dim);

// With a full Gaussian q, in the coordinates where q is N(0, I) and from singular values, so that scores are never
// squared: all of the noise and the scores that matters lies in a space of 2 B dimensions, and where that is less than
// D the problem is solved there, for O(D^2 B) beside the O(D^3) of the new factor. Keeps no state. A step that ends
// with values that are not finite is undone (kBadUpdate).
class Bam final : public Engine {
 public:
  explicit Bam(const BamOptions& options);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict&, const params::FlatLayout&) const override {}
  void load(const params::StateDict&, const params::FlatLayout&) override {}
  std::vector<std::string> buffers() const override { return {}; }

 private:
  BamOptions options_;
};

// With a diagonal Gaussian q, where every coordinate has its own equation in numbers: O(D), on any device and type.
// Keeps no state but six parameter-sized buffers.
class BamDiagonal final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffers.
  BamDiagonal(const BamOptions& options, const at::Tensor& like);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict&, const params::FlatLayout&) const override {}
  void load(const params::StateDict&, const params::FlatLayout&) override {}
  std::vector<std::string> buffers() const override;

 private:
  BamOptions options_;
  at::Tensor noise_, scratch_;                                  // [D]
  at::Tensor noise_mean_, noise_sum_, score_mean_, score_sum_;  // [D], sums of squared deviations
};

}  // namespace scorevi::inference
