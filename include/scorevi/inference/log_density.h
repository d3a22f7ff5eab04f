// The target of inference, as every engine sees it: a log density and its gradient (the score).
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/core/check.h"
#include "scorevi/params/flat_layout.h"

namespace scorevi::inference {

// A Gaussian prior with independent coordinates, known in closed form: N(mean_j, std_j^2).
// Ranges cover 0..D without gaps; std = inf is uninformative (log p = 0, score 0).
struct GaussianPrior {
  struct Group : params::Range {
    double std = 1;
  };
  std::vector<Group> groups;
  at::Tensor mean;  // [D], undefined = all zero
};

// One look at the target at theta.
struct Evaluation {
  double log_density = 0;  // nats; without the prior where prior() is given. Non-finite values are returned, not thrown
  at::Tensor score;        // [D] gradient of log_density; valid until the next evaluation
  int64_t data_used = 0;   // rows behind a mini-batch estimate, 0 for an exact target
};

// log pi(theta) = log_density(theta) + log prior(theta), unnormalised. The prior is kept apart so that engines can
// use its exact expectations (closed-form KL) and fuse its score into their update.
class LogDensity {
 public:
  virtual ~LogDensity() = default;
  virtual int64_t dim() const = 0;
  // The names behind the coordinates, for messages and per-parameter settings.
  virtual const params::FlatLayout& layout() const = 0;
  // A buffer [D] that evaluate() takes without a copy; engines write theta into it. Its dtype and device are the
  // target's.
  virtual at::Tensor point() = 0;
  virtual Evaluation evaluate(const at::Tensor& theta) = 0;
  // nullptr: log_density is the whole target.
  virtual const GaussianPrior* prior() const { return nullptr; }
  // Factor that turns -log pi into the loss optimisers see: temperature/N for a network on N rows, 1 otherwise.
  virtual double loss_scale() const { return 1.0; }
  // Whether hessian_product() works.
  virtual bool has_hessian_product() const { return false; }
  // [D] Hessian of log_density (without prior) at theta times v, of the mini-batch and with the random choices of the
  // latest evaluation; valid until the next call. Where has_hessian_product() is false, calling it is our bug.
  virtual at::Tensor hessian_product(const at::Tensor& /*theta*/, const at::Tensor& /*v*/) {
    throw InternalError("this target has no hessian_product");
  }
};

}  // namespace scorevi::inference
