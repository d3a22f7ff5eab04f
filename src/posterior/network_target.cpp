#include "scorevi/posterior/network_target.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"
#include "scorevi/models/network.h"

namespace scorevi::posterior {
namespace {

std::vector<std::pair<std::string, at::Tensor>> all_parameters(const models::Network& network,
                                                               const Likelihood& likelihood) {
  std::vector<std::pair<std::string, at::Tensor>> result;
  for (const auto& parameter : network.named_parameters()) result.emplace_back(parameter.key(), parameter.value());
  for (const auto& parameter : likelihood.parameters()) result.push_back(parameter);
  return result;
}

// N / tau.
double checked_scale(const NetworkTargetOptions& options) {
  if (options.train_rows < 1)
    throw Error(ErrorKind::kUsage, fmt::format("posterior: training rows, got {}, expected >= 1", options.train_rows));
  if (!(options.temperature > 0) || !std::isfinite(options.temperature)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("likelihood.temperature: got {}, expected > 0 and finite", options.temperature));
  }
  return static_cast<double>(options.train_rows) / options.temperature;
}

}  // namespace

NetworkTarget::NetworkTarget(std::shared_ptr<models::Network> network, std::shared_ptr<Likelihood> likelihood,
                             const NetworkTargetOptions& options)
    : network_(std::move(network)),
      likelihood_(std::move(likelihood)),
      parameters_(all_parameters(*network_, *likelihood_), {options.gradients}),
      prior_(make_prior(options.prior, parameters_.layout(), parameters_.values())),
      train_rows_(options.train_rows),
      scale_(checked_scale(options)) {}

void NetworkTarget::set_batch(const at::Tensor& inputs, const at::Tensor& targets) {
  const int64_t rows = inputs.dim() > 0 ? inputs.size(0) : 0;
  const int64_t target_rows = targets.dim() > 0 ? targets.size(0) : 0;
  if (rows < 1 || rows != target_rows || rows > train_rows_) {
    throw Error(ErrorKind::kUsage, fmt::format("posterior: batch does not fit, got {} rows of "
                                               "inputs and {} of targets, expected the same number "
                                               "from 1 to the {} training rows",
                                               rows, target_rows, train_rows_));
  }
  inputs_ = inputs.to(parameters_.values().options());
  targets_ = targets.to(parameters_.values().device());
}

void NetworkTarget::set_step(uint64_t seed, int64_t step) {
  SCOREVI_CHECK_OP(step, >=, 0);
  SCOREVI_CHECK_OP(step, <=, int64_t{std::numeric_limits<uint32_t>::max()});
  const CounterRng rng(seed, Purpose::kDropout, static_cast<uint32_t>(step));
  at::manual_seed((static_cast<uint64_t>(rng.word(0)) << 32) | rng.word(1));
}

inference::Evaluation NetworkTarget::evaluate(const at::Tensor& theta) {
  SCOREVI_CHECK(inputs_.defined());
  SCOREVI_CHECK(parameters_.aliased());
  const at::Tensor& values = parameters_.values();
  SCOREVI_CHECK_OP(theta.numel(), ==, dim());
  if (theta.const_data_ptr() != values.const_data_ptr()) values.copy_(theta);
  parameters_.zero_gradients();

  const c10::AutoGradMode with_gradients(true);
  const at::Tensor loss = likelihood_->mean_nll(network_->forward(inputs_), targets_);
  // Started with -N/tau, the backward pass leaves the score itself in the gradient buffer.
  loss.backward(at::full_like(loss, -scale_));
  parameters_.gather_gradients();
  return {-scale_ * loss.item<double>(), parameters_.gradients(), inputs_.size(0)};
}

}  // namespace scorevi::posterior
