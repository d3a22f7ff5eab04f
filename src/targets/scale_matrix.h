// The covariance and scale matrices of Gaussian and Student-t targets.
#pragma once

#include "scorevi/targets/registry.h"

namespace scorevi::targets {

// Q diag(eigenvalues) Q^T in three forms.
struct ScaleMatrix {
  at::Tensor matrix, precision;  // [D, D], symmetric
  at::Tensor factor;             // [D, D], matrix = factor factor^T
  double log_det = 0;            // of matrix
  std::string name;              // "d16_c100": what distinguishes it, seed included
};

// As TargetOptions::covariance says; D up to kMaxFullDim. O(D^3). Error(kUsage) for a bad option.
ScaleMatrix make_scale_matrix(const TargetOptions& options);

// The D eigenvalues of "conditioned".
at::Tensor geometric_spectrum(const TargetOptions& options);

}  // namespace scorevi::targets
