#include "scale_matrix.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linspace.h>

#include "draws.h"
#include "makers.h"
#include "scorevi/core/format.h"

namespace scorevi::targets {
namespace {

// Q and the eigenvalues [D] of A A^T + 0.01 I, smallest first.
std::tuple<at::Tensor, at::Tensor> random_spectrum(const TargetOptions& options) {
  const at::Tensor a = normals(options.seed, Part::kMatrix, options.dim, options.dim);
  auto [values, vectors] = at::linalg_eigh(a.matmul(a.t()) + 0.01 * at::eye(options.dim, a.options()));
  return {vectors, values};
}

at::Tensor random_rotation(const TargetOptions& options) {
  const at::Tensor a = normals(options.seed, Part::kMatrix, options.dim, options.dim);
  auto [q, r] = at::linalg_qr(a);
  return q * r.diagonal().sign();  // without the signs not uniform over all rotations
}

at::Tensor symmetric(const at::Tensor& vectors, const at::Tensor& values) {
  const at::Tensor product = (vectors * values).matmul(vectors.t());
  return (product + product.t()) / 2;
}

}  // namespace

at::Tensor geometric_spectrum(const TargetOptions& options) {
  const double half = std::log(options.condition) / 2;
  if (options.dim == 1) return at::eye(1, at::TensorOptions(at::kDouble))[0];
  return at::linspace(-half, half, options.dim, at::TensorOptions(at::kDouble)).exp();
}

ScaleMatrix make_scale_matrix(const TargetOptions& options) {
  require_dim(options, 1, kMaxFullDim);
  require(options.condition >= 1 && options.condition <= 1e12, "condition", options.condition, "1 to 1e12");
  ScaleMatrix result;
  at::Tensor vectors;
  at::Tensor values;
  result.name = fmt::format("d{}_c{}", options.dim, format_double(options.condition));
  if (options.covariance == "conditioned") {
    vectors = random_rotation(options);
    values = geometric_spectrum(options);
  } else if (options.covariance == "random") {
    std::tie(vectors, values) = random_spectrum(options);
    result.name = fmt::format("random_d{}", options.dim);
  } else if (options.covariance == "stretched") {
    std::tie(vectors, values) = random_spectrum(options);
    values = values / values[0] * 0.1;
    values[-1] *= options.condition;
    result.name = "stretched_" + result.name;
  } else {
    require(false, "covariance", options.covariance, "conditioned, random or stretched");
  }
  result.matrix = symmetric(vectors, values);
  result.precision = symmetric(vectors, values.reciprocal());
  result.factor = vectors * values.sqrt();
  result.log_det = values.log().sum().item<double>();
  result.name += seed_suffix(options);
  return result;
}

}  // namespace scorevi::targets
