// The Laplace approximation: a Gaussian at a mode whose precision is the negative Hessian there.
#pragma once

#include <functional>
#include <optional>

#include "scorevi/inference/draws.h"
#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

struct LaplaceFit {
  GaussianFit gaussian;  // kDiagonal: variances 1 / -H_jj, which are those of theta_j with all else fixed
  double log_normaliser =
      0;  // estimate of log of the integral of the target: exact where the target is such a Gaussian
  // Eigenvalues of the precision (kDiagonal: its entries), scaled to a unit diagonal, that are below 1e-8: the point
  // is no strict maximum as far as can be told. They are replaced by their absolute value, at least 1e-8.
  int64_t not_positive = 0;
  double smallest_eigenvalue = 0;  // of the scaled precision, before; kDiagonal: the sign of the smallest entry
  int64_t evaluations = 0;         // 2 or 4 per coordinate, more near places without a density; one at the mode
};

// Columns of the Hessian made so far, of D; true stops.
using LaplaceCallback = std::function<bool(int64_t done, int64_t dim)>;

// H from central differences of the exact score (prior included), each coordinate over about 1e-4 of its standard
// deviation with all else fixed. kFull: 2 D evaluations, 4 D^2 doubles, O(D^3); kDiagonal: O(D) memory. Nothing when
// the callback stopped it. Error(kNumerical) where density or score is not finite at the mode or however close to it.
std::optional<LaplaceFit> laplace(LogDensity& target, const at::Tensor& mode, GaussianForm form,
                                  const LaplaceCallback& callback = {});

}  // namespace scorevi::inference
