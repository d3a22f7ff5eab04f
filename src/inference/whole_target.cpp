#include "whole_target.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <ATen/ops/empty.h>

#include "prior_groups.h"
#include "scorevi/core/check.h"
#include "scorevi/core/constants.h"

namespace scorevi::inference {

double log_prior(const GaussianPrior* prior, const double* theta, int64_t dim, double* score) {
  at::Tensor means;
  if (prior && prior->mean.defined()) means = prior->mean.to(at::kCPU, at::kDouble).contiguous();
  double total = 0;
  for_informative(prior, [&](int64_t begin, int64_t end, double std) {
    SCOREVI_CHECK_OP(end, <=, dim);
    for (int64_t j = begin; j < end; ++j) {
      const double z = (theta[j] - (means.defined() ? means.data_ptr<double>()[j] : 0.0)) / std;
      total -= 0.5 * (z * z + kLogTwoPi) + std::log(std);
      if (score) score[j] -= z / std;
    }
  });
  return total;
}

WholeTarget::WholeTarget(LogDensity& target) : target_(target) {
  const at::Tensor point = target_.point();
  SCOREVI_CHECK(point.scalar_type() == at::kDouble && point.device().is_cpu());
}

double WholeTarget::operator()(const Vector& theta, Vector& gradient) {
  constexpr double kOutside = -std::numeric_limits<double>::infinity();
  const at::Tensor point = target_.point();
  std::copy(theta.begin(), theta.end(), point.data_ptr<double>());
  evaluations_ += 1;
  const Evaluation evaluation = target_.evaluate(point);
  if (!std::isfinite(evaluation.log_density)) return kOutside;
  gradient = to_vector(evaluation.score);
  const double value = evaluation.log_density + log_prior(target_.prior(), theta.data(), dim(), gradient.data());
  const bool finite = std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
  return finite && std::isfinite(value) ? value : kOutside;
}

Vector to_vector(const at::Tensor& values) {
  const at::Tensor flat = values.detach().to(at::kCPU, at::kDouble).contiguous();
  return Vector(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

at::Tensor to_tensor(const Vector& values) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, at::TensorOptions(at::kDouble));
  std::copy(values.begin(), values.end(), out.data_ptr<double>());
  return out;
}

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void add_scaled(double a, const Vector& x, Vector& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

}  // namespace scorevi::inference
