#include "scorevi/inference/draws.h"

#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/chain_statistics.h"

namespace scorevi::inference {

void summarise(Draws& draws) {
  const int64_t dim = draws.theta.size(1), kept = draws.theta.size(0) / draws.chains;
  for (at::Tensor* result : {&draws.rhat, &draws.ess, &draws.mean_error, &draws.sd_error})
    *result = at::full({dim}, std::numeric_limits<double>::quiet_NaN(), draws.theta.options());
  for (int64_t j = 0; j < dim; ++j) {
    stop_if_signalled();
    const at::Tensor values = draws.theta.select(1, j).reshape({draws.chains, kept}).contiguous();
    draws.rhat[j] = rank_rhat(values);
    draws.ess[j] = ess_bulk(values);
    if (draws.weight.defined() || values.numel() < 2) continue;
    // The error of a variance is that of the mean of the squares; that of its root follows by the delta method.
    const at::Tensor squares = (values - values.mean()).square();
    const double variance = squares.mean().item<double>();
    draws.mean_error[j] = std::sqrt(variance / ess_mean(values));
    draws.sd_error[j] = squares.std(/*unbiased=*/true).item<double>() / (2 * std::sqrt(variance * ess_mean(squares)));
  }
}

GaussianFit gaussian_fit(const Draws& draws, GaussianForm form) {
  const int64_t n = draws.theta.size(0);
  if (n < 2)
    throw Error(ErrorKind::kNumerical, fmt::format("gaussian fit: got {} draws of a sampler, expected at least 2", n));
  const at::Tensor weight =
      draws.weight.defined() ? draws.weight : at::full({n}, 1 / static_cast<double>(n), draws.theta.options());
  const double unbiased = 1 - weight.square().sum().item<double>();
  GaussianFit fit;
  fit.mean = weight.matmul(draws.theta);
  const at::Tensor centred = draws.theta - fit.mean;
  if (form == GaussianForm::kDiagonal)
    fit.covariance = weight.matmul(centred.square()) / unbiased;
  else
    fit.covariance = centred.t().matmul(centred * weight.unsqueeze(1)) / unbiased;
  return fit;
}

}  // namespace scorevi::inference
