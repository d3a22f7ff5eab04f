// An inference method: improves a variational family step by step. Engines see only LogDensity; they know no
// network, print nothing and open nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scorevi/inference/log_density.h"
#include "scorevi/params/state_dict.h"
#include "scorevi/variational/family.h"

namespace scorevi::inference {

// What a step may depend on beside the target: everything random follows from (seed, step).
struct StepInfo {
  uint64_t seed = 0;
  int64_t step = 0;         // inner steps made before this one, over the whole run
  int64_t total_steps = 1;  // of the whole run; sets alpha_t and nothing else
  double lr_factor = 1;     // from the schedule; multiplies every learning rate and mean_step
  double max_loss = std::numeric_limits<double>::infinity();  // -log_density * loss_scale beyond it: exploded
};

enum class StepStatus {
  kOk,
  kNonFiniteDensity,  // nothing was changed
  kExploded,          // the loss exceeds max_loss; nothing was changed
  kNonFiniteScore,    // nothing was changed
  kBadUpdate,         // no positive definite covariance or values that are not finite; nothing was changed
  kDiverged,          // after the step a mean is not finite or a log_std left [min_log_std, max_log_std]
};

// Facts about one step. Values a method does not have stay at NaN.
struct StepStats {
  StepStatus status = StepStatus::kOk;
  double log_density = 0;  // mean over samples, without prior
  double loss = 0;         // what the method minimises, scaled by loss_scale: see each engine
  double matching = 0;     // psm: E ||s_q - score||^2 (weighted by the norm)
  double proximal = 0;     // psm: E ||s_q - s_t||^2 before alpha
  double alpha = 0;
  double kl = 0;             // total KL(q || prior) in nats, unscaled
  double gradient_norm = 0;  // before clipping
  double sigma_mean = 0, sigma_min = 0, sigma_max = 0;
  int64_t nonfinite = 0;    // entries
  int64_t bad_index = -1;   // first element concerned, -1 unknown
  int64_t evaluations = 0;  // network evaluations (gradient) made in this step
};

class Engine {
 public:
  virtual ~Engine() = default;
  // One inner step on the target's current mini-batch.
  virtual StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) = 0;
  // All state but the family's own parameters, by parameter name.
  virtual void save(params::StateDict& state, const params::FlatLayout& layout) const = 0;
  virtual void load(const params::StateDict& state, const params::FlatLayout& layout) = 0;
  // Parameter-sized buffers this engine holds beside the family's, with their names: the memory estimate and its test.
  virtual std::vector<std::string> buffers() const = 0;
};

}  // namespace scorevi::inference
