// The targets with known answers, by name.
//
// Every target is a density in double on the CPU. What is random about it (means, rotations, generated data) is a
// function of TargetOptions::seed.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scorevi/kernels/noise.h"
#include "scorevi/targets/analytic_target.h"

namespace scorevi::targets {

// Options of all targets; what a target does not use is ignored.
struct TargetOptions {
  std::string name = "gaussian";
  int64_t seed = 0;  // of what is generated, at least 0
  int64_t dim = 2;   // all but mlp_regression and posteriordb, whose dimension follows from other options

  // gaussian: covariance; student_t: scale matrix. The mean is uniform on [0, 1]^D. The eigenvalues of
  //   conditioned  run geometrically from condition^-1/2 to condition^1/2; the rotation is random (isotropic at 1)
  //   random       are those of A A^T + 0.01 I, A_ij ~ N(0, 1) (Cai et al., arXiv 2402.14758)
  //   stretched    are those of random, scaled so that the smallest is 0.1, then the largest times condition
  std::string covariance = "conditioned";
  double condition = 1;
  bool diagonal = false;  // gaussian with covariance conditioned: no rotation, O(D), for D up to 1e6

  double dof = 5;  // student_t: degrees of freedom

  // mixture: unit Gaussians whose centres are the corners of a regular polygon in the first two coordinates (on a
  // line where dim = 1); neighbours are `separation` apart. No weights: equal ones.
  int64_t components = 2;
  double separation = 6;
  std::vector<double> weights;

  double curvature = 1;  // banana: see curved.h
  double width = 0.5;    // banana
  double scale = 3;      // funnel: standard deviation of the first coordinate

  // sinh_arcsinh: skewness s and tail weight t. In the form
  //   coordinates  z = m + c k sinh((asinh(e) + s) t), e ~ N(0, I): independent, heavy tails for large t
  //   joint        z = sinh((asinh(y) + s) / t), y ~ N(m, S): correlated, light tails for large t
  // with k = 2 / sinh(t asinh 2), S = A A^T + 0.001 I, A_ij ~ N(0, 1), c = diag(S), m uniform on [0, 1]^D.
  double skew = 0;
  double tail = 1;
  std::string form = "coordinates";

  // logistic_regression, mlp_regression: generated data. begin_step() takes batch_frac of the rows.
  int64_t rows = 0;  // 0: 1000 for logistic_regression, 20 for cubic, 50 for gap
  double batch_frac = 1;
  double prior_std = 1;         // of each weight; those of an output layer: over sqrt(hidden); inf: no prior
  std::string curve = "cubic";  // mlp_regression: cubic (y = x^3, noise 3) | gap (a sine with a gap in x, noise 0.1)
  int64_t hidden = 50;          // mlp_regression: D = 3 hidden + 1

  std::string posterior;  // posteriordb: a name of posteriors()
  std::string data_root;  // posteriordb: the folder that holds posteriordb/<posterior>.json; "": the bundled data
};

// What is known about a target. Tensors are double, on the CPU, and undefined where nothing is known; numbers are NaN.
struct Reference {
  at::Tensor mean, sd;              // [D]
  at::Tensor covariance;            // [D, D]; undefined also for independent coordinates where D > kMaxFullDim
  at::Tensor mean_error, sd_error;  // [D] Monte-Carlo standard errors; undefined: exact
  // log of the integral of exp(log_density + log prior), nats.
  double log_normaliser = std::numeric_limits<double>::quiet_NaN();
  bool gaussian = false;  // the target is N(mean, covariance); covariance undefined: N(mean, diag(sd^2))
  std::string source;     // one line: where the numbers come from
};

// Largest D with matrices of D x D doubles (128 MiB each).
inline constexpr int64_t kMaxFullDim = 4096;

struct KnownTarget {
  std::string name;  // of this very target, fit for a file name: "gaussian_d16_c100"
  std::unique_ptr<AnalyticTarget> density;
  std::string fingerprint;  // SHA-256 of the data file behind it; empty where there is none
  Reference reference;
  // Fills theta [D] with an exact draw, a function of the key. Empty where there is no sampler.
  std::function<void(const kernels::NoiseKey& key, at::Tensor theta)> sample;
  std::vector<at::Tensor> modes;  // [D] each: centres of the modes of a multimodal target, else empty
  at::Tensor mode_weights;        // [modes], sum 1
};

// Throws Error(kUsage) naming the option ("target.dim: got 0, expected 1 to 4096"), and Error(kData) naming file and
// field where a posterior's data are missing or wrong.
KnownTarget make_target(const TargetOptions& options);

struct TargetInfo {
  std::string name;
  std::string help;                  // one line
  std::vector<std::string> options;  // fields of TargetOptions it takes
};
// In the order they are listed to users.
const std::vector<TargetInfo>& targets();

// Posteriors of posteriordb (Magnusson et al., https://github.com/stan-dev/posteriordb) that are implemented, with
// all normalising constants, in unconstrained coordinates with the log Jacobian, as Stan has them.
struct PosteriorInfo {
  std::string name;  // of its file, without .json
  std::string help;  // one line
  int64_t dim = 0;
  bool has_draws = true;  // reference draws in posteriordb; else the file has moments of draws made otherwise
};
const std::vector<PosteriorInfo>& posteriors();

}  // namespace scorevi::targets
