#include "diagonal_frame.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "prior_groups.h"
#include "scorevi/core/constants.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

// Without a copy in doubles: part by part, each small enough to be summed by one thread.
double sum_in_doubles(const at::Tensor& values) {
  if (!values.is_cpu()) return values.sum(at::kDouble).item<double>();
  constexpr int64_t kPart = 16384;
  double sum = 0;
  for (int64_t begin = 0; begin < values.numel(); begin += kPart)
    sum += values.slice(0, begin, std::min(begin + kPart, values.numel())).sum(at::kDouble).item<double>();
  return sum;
}

}  // namespace

void fill_noise(const StepInfo& info, int64_t sample, const at::Tensor& out) {
  kernels::NoiseKey key = noise_key(info);
  key.sample += static_cast<uint32_t>(sample);
  variational::for_dtype(out, [&](auto tag) {
    using T = decltype(tag);
    kernels::fill_normal<T>(params::exec_for(out), 0, out.numel(), key, out.data_ptr<T>());
  });
}

void add_prior_score(const GaussianPrior* prior, const at::Tensor& theta, double factor, const at::Tensor& out) {
  for_informative(prior, [&](int64_t begin, int64_t end, double std) {
    const at::Tensor part = out.slice(0, begin, end);
    part.add_(theta.slice(0, begin, end), -factor / (std * std));
    if (prior->mean.defined()) part.add_(prior->mean.slice(0, begin, end), factor / (std * std));
  });
}

void add_prior_curvature(const GaussianPrior* prior, const at::Tensor& v, const at::Tensor& weight, double factor,
                         const at::Tensor& out) {
  for_informative(prior, [&](int64_t begin, int64_t end, double std) {
    const at::Tensor part = out.slice(0, begin, end);
    if (weight.defined())
      part.addcmul_(v.slice(0, begin, end), weight.slice(0, begin, end), -factor / (std * std));
    else
      part.add_(v.slice(0, begin, end), -factor / (std * std));
  });
}

double gaussian_kl(const variational::DiagonalGaussian& q, const GaussianPrior* prior, const at::Tensor& scratch) {
  double kl = -sum_in_doubles(q.log_std()) - 0.5 * (1 + kLogTwoPi) * static_cast<double>(q.dim());
  at::Tensor work = scratch;
  at::exp_out(work, q.log_std());
  for_informative(prior, [&](int64_t begin, int64_t end, double std) {
    const at::Tensor part = scratch.slice(0, begin, end);
    double squares = square_sum(part);
    part.copy_(q.mean().slice(0, begin, end));
    if (prior->mean.defined()) part.sub_(prior->mean.slice(0, begin, end));
    squares += square_sum(part);
    kl += 0.5 * squares / (std * std) + static_cast<double>(end - begin) * (std::log(std) + 0.5 * kLogTwoPi);
  });
  return kl;
}

void measure_gaussian(const variational::DiagonalGaussian& q, const GaussianOptions& limits, const at::Tensor& scratch,
                      StepStats& stats) {
  SCOREVI_CHECK(q.points().empty());
  kernels::UpdateStats total;
  total.count = q.dim();
  total.nonfinite = finite_check(q.mean()).nonfinite + finite_check(q.log_std()).nonfinite;
  total.log_std_min = q.log_std().min().item<double>();
  total.log_std_max = q.log_std().max().item<double>();
  at::Tensor work = scratch;
  at::exp_out(work, q.log_std());
  total.sigma_sum = sum_in_doubles(work);
  total.kl = stats.kl;
  check_gaussian(total, q, limits, stats);
}

}  // namespace scorevi::inference
