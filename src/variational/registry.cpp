#include "scorevi/variational/registry.h"

namespace scorevi::variational {

const std::vector<FamilyInfo>& families() {
  static const std::vector<FamilyInfo> kTable = {
      {"diagonal_gaussian", "independent Gaussian per weight: mean and log-std"},
      {"full_gaussian", "Gaussian with every covariance: mean and Cholesky factor, D x D doubles (scorevi bench)"},
      {"point_mass", "one weight vector without uncertainty (method map)"},
  };
  return kTable;
}

}  // namespace scorevi::variational
