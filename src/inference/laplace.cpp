#include "scorevi/inference/laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"
#include "scorevi/core/error.h"
#include "whole_target.h"

namespace scorevi::inference {
namespace {

constexpr double kSmallest = 1e-8;  // of an eigenvalue in units of the diagonal: what differences can tell from 0

// Row j of -H from scores at theta_j -+ step, or nothing where one is not finite.
std::optional<Vector> difference(WholeTarget& target, const Vector& mode, size_t j, double step) {
  Vector below = mode, above = mode, low_score, high_score;
  below[j] -= step;
  above[j] += step;
  if (!std::isfinite(target(below, low_score)) || !std::isfinite(target(above, high_score))) return std::nullopt;
  add_scaled(-1, high_score, low_score);
  for (double& value : low_score) value /= above[j] - below[j];
  return low_score;
}

// Row j of -H. The step is chosen again once, where the curvature shows that it was far off.
std::optional<Vector> precision_row(WholeTarget& target, const Vector& mode, size_t j) {
  constexpr double kStep = 1e-4, kFarOff = 100;
  constexpr int kTries = 20;
  double step = kStep * std::max(1.0, std::abs(mode[j]));
  std::optional<Vector> row = difference(target, mode, j, step);
  for (int i = 1; !row && i < kTries; ++i) {
    step /= 8;
    row = difference(target, mode, j, step);
  }
  if (!row || !((*row)[j] > 0)) return row;
  const double wanted = std::max(kStep / std::sqrt((*row)[j]), 1e-9 * std::abs(mode[j]));
  if (step < kFarOff * wanted && wanted < kFarOff * step) return row;
  std::optional<Vector> better = difference(target, mode, j, wanted);
  return better ? better : row;
}

// Notes what is wrong with eigenvalues (or diagonal entries) of unit scale, and mends them.
at::Tensor mended(const at::Tensor& values, LaplaceFit& fit) {
  fit.smallest_eigenvalue = values.min().item<double>();
  fit.not_positive = values.lt(kSmallest).sum().item<int64_t>();
  return values.abs().clamp_min(kSmallest);
}

// Sizes of the diagonal entries, 1 where there is no curvature at all.
at::Tensor scales(const at::Tensor& diagonal) {
  const at::Tensor size = diagonal.abs();
  return at::where(size.gt(0), size, at::ones_like(size));
}

// Fills covariance and returns log det of it.
double invert_diagonal(const at::Tensor& precision, LaplaceFit& fit) {
  const at::Tensor scale = scales(precision);
  const at::Tensor positive = mended(precision / scale, fit) * scale;
  fit.gaussian.covariance = positive.reciprocal();
  return -positive.log().sum().item<double>();
}

double invert_full(const at::Tensor& precision, LaplaceFit& fit) {
  const at::Tensor root = scales(precision.diagonal()).sqrt();
  const at::Tensor scaled = (precision + precision.t()) / (2 * root.unsqueeze(1) * root);
  const auto [eigenvalues, vectors] = at::linalg_eigh(scaled);
  const at::Tensor positive = mended(eigenvalues, fit);
  const at::Tensor half = vectors / root.unsqueeze(1) / positive.sqrt();
  fit.gaussian.covariance = half.matmul(half.t());
  return -positive.log().sum().item<double>() - 2 * root.log().sum().item<double>();
}

}  // namespace

std::optional<LaplaceFit> laplace(LogDensity& raw_target, const at::Tensor& mode, GaussianForm form,
                                  const LaplaceCallback& callback) {
  WholeTarget target(raw_target);
  const int64_t dim = target.dim();
  SCOREVI_CHECK_OP(mode.numel(), ==, dim);
  const Vector centre = to_vector(mode);
  Vector score;
  const double log_density = target(centre, score);
  if (!std::isfinite(log_density))
    throw Error(ErrorKind::kNumerical, "laplace: log density or score is not finite at the mode");
  const bool full = form == GaussianForm::kFull;
  at::Tensor precision =
      at::empty(full ? std::vector<int64_t>{dim, dim} : std::vector<int64_t>{dim}, at::TensorOptions(at::kDouble));
  for (int64_t j = 0; j < dim; ++j) {
    const std::optional<Vector> row = precision_row(target, centre, static_cast<size_t>(j));
    if (!row)
      throw Error(ErrorKind::kNumerical, fmt::format("laplace: log density or score is not finite beside the mode, "
                                                     "however near, along {}",
                                                     raw_target.layout().element_name(j)));
    if (full)
      std::copy(row->begin(), row->end(), precision.data_ptr<double>() + j * dim);
    else
      precision.data_ptr<double>()[j] = (*row)[static_cast<size_t>(j)];
    if (callback && callback(j + 1, dim)) return std::nullopt;
  }
  LaplaceFit fit;
  fit.gaussian.mean = to_tensor(centre);
  const double log_determinant = full ? invert_full(precision, fit) : invert_diagonal(precision, fit);
  fit.log_normaliser = log_density + 0.5 * (static_cast<double>(dim) * kLogTwoPi + log_determinant);
  fit.evaluations = target.evaluations();
  return fit;
}

}  // namespace scorevi::inference
