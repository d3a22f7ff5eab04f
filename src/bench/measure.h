// How good an approximation of a target is.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/targets/registry.h"
#include "scorevi/variational/family.h"

namespace scorevi::bench {

// Numbers are NaN where the target or the approximation does not give them.
struct Measurement {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double mean_error = kNaN;         // ||(mean_q - mean) / sd||_2
  double sd_error = kNaN;           // ||(sd_q - sd) / sd||_2
  double forward_kl = kNaN;         // KL(p || q), nats
  double reverse_kl = kNaN;         // KL(q || p), nats
  double elbo = kNaN;               // E_q[log p~ - log q], nats; p~ as the target gives it
  double elbo_error = kNaN;         // its standard error
  double k_hat = kNaN;              // of importance weights, see metrics/pareto.h; NaN for a q without width
  std::vector<double> mode_shares;  // of q, nearest centre; empty where the target has no modes
};

// The numbers of a measurement under their names in members/*.json, results.csv and curves.csv.
struct MeasurementColumn {
  const char* name;
  double Measurement::*value;
};
inline constexpr MeasurementColumn kMeasurementColumns[] = {{"mean_error", &Measurement::mean_error},
                                                            {"sd_error", &Measurement::sd_error},
                                                            {"forward_kl", &Measurement::forward_kl},
                                                            {"reverse_kl", &Measurement::reverse_kl},
                                                            {"elbo", &Measurement::elbo},
                                                            {"elbo_error", &Measurement::elbo_error},
                                                            {"k_hat", &Measurement::k_hat}};

// What approximations of a target are compared with, prepared once and shared.
struct Truth {
  explicit Truth(targets::KnownTarget& target);

  targets::Reference reference;
  // Moments of p: in closed form, else of exact draws. Undefined where there are neither.
  at::Tensor mean, variance;              // [D]
  at::Tensor covariance;                  // [D, D]; undefined: only variances are known
  double mean_log_p = Measurement::kNaN;  // E_p[log p], nats, by exact draws
  at::Tensor modes;                       // [modes, D]; undefined: not multimodal
};

// An approximation: a mean and marginal standard deviations, and where it is a Gaussian the family. `family` may be
// null (draws), `sd` undefined (a point).
struct Approximation {
  at::Tensor mean, sd;
  const variational::Family* family = nullptr;
};
Approximation approximation_of(const variational::Family& family);

// `draws` of q are made for ELBO, KL(q || p) and mode shares, a function of `seed`; they are no score evaluations of
// the method. With `final`, k_hat too.
Measurement measure(const Approximation& q, targets::AnalyticTarget& target, const Truth& truth, int64_t draws,
                    uint64_t seed, bool final);

}  // namespace scorevi::bench
