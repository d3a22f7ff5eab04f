#include "scorevi/posterior/network_target.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
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

// Mixed precision while it lives. The casts of the weights are forgotten at its end: the next step has others.
class Autocast {
 public:
  Autocast(at::DeviceType device, at::ScalarType dtype)
      : device_(device),
        enabled_(at::autocast::is_autocast_enabled(device)),
        dtype_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_dtype(device_, dtype_);
    at::autocast::set_autocast_enabled(device_, enabled_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool enabled_;
  at::ScalarType dtype_;
};

}  // namespace

NetworkTarget::NetworkTarget(std::shared_ptr<models::Network> network, std::shared_ptr<Likelihood> likelihood,
                             const NetworkTargetOptions& options)
    : network_(std::move(network)),
      likelihood_(std::move(likelihood)),
      parameters_(all_parameters(*network_, *likelihood_), {options.gradients}),
      prior_(make_prior(options.prior, parameters_.layout(), parameters_.values())),
      options_(options),
      scale_(checked_scale(options)) {
  set_training_mode(*network_, options_.batch_norm);
}

at::Tensor NetworkTarget::prepared(const at::Tensor& inputs) const {
  const at::Tensor moved = inputs.to(parameters_.values().options());
  return options_.channels_last && moved.dim() == 4 ? moved.contiguous(at::MemoryFormat::ChannelsLast) : moved;
}

void NetworkTarget::set_batch(const at::Tensor& inputs, const at::Tensor& targets) {
  const int64_t rows = inputs.dim() > 0 ? inputs.size(0) : 0;
  const int64_t target_rows = targets.dim() > 0 ? targets.size(0) : 0;
  if (rows < 1 || rows != target_rows || rows > options_.train_rows) {
    throw Error(ErrorKind::kUsage, fmt::format("posterior: batch does not fit, got {} rows of "
                                               "inputs and {} of targets, expected the same number "
                                               "from 1 to the {} training rows",
                                               rows, target_rows, options_.train_rows));
  }
  inputs_ = prepared(inputs);
  targets_ = targets.to(parameters_.values().device());
}

void NetworkTarget::set_step(uint64_t seed, int64_t step) {
  SCOREVI_CHECK_OP(step, >=, 0);
  SCOREVI_CHECK_OP(step, <=, int64_t{std::numeric_limits<uint32_t>::max()});
  const CounterRng rng(seed, Purpose::kDropout, static_cast<uint32_t>(step));
  at::manual_seed((static_cast<uint64_t>(rng.word(0)) << 32) | rng.word(1));
}

void NetworkTarget::put(const at::Tensor& theta) {
  SCOREVI_CHECK(inputs_.defined());
  SCOREVI_CHECK(parameters_.aliased());
  const at::Tensor& values = parameters_.values();
  SCOREVI_CHECK_OP(theta.numel(), ==, dim());
  if (theta.const_data_ptr() != values.const_data_ptr()) values.copy_(theta);
}

inference::Evaluation NetworkTarget::evaluate(const at::Tensor& theta) {
  put(theta);
  if (options_.second_order || options_.precision == Precision::kFloat16) random_state_ = generator().get_state();
  // Started with -N/tau, the backward pass leaves the score itself in the gradient buffer.
  const double mean_nll = options_.precision == Precision::kFloat16 ? backward_in_half() : backward(-scale_);
  return {-scale_ * mean_nll, parameters_.gradients(), inputs_.size(0)};
}

template <class Visit>
void NetworkTarget::for_parts(Visit&& visit) {
  const c10::AutoGradMode with_gradients(true);
  const int64_t rows = inputs_.size(0);
  const int64_t step = options_.micro_batch > 0 ? options_.micro_batch : rows;
  for (int64_t first = 0; first < rows; first += step) {
    const int64_t count = std::min(step, rows - first);
    const at::Tensor outputs = forward(inputs_.narrow(0, first, count));
    visit(likelihood_->mean_nll(outputs, targets_.narrow(0, first, count)),
          static_cast<double>(count) / static_cast<double>(rows));
  }
}

double NetworkTarget::backward(double start) {
  parameters_.zero_gradients();
  double mean_nll = 0;
  for_parts([&](const at::Tensor& loss, double share) {
    loss.backward(at::full_like(loss, start * share));
    mean_nll += share * loss.item<double>();
  });
  parameters_.gather_gradients();
  return mean_nll;
}

at::Generator NetworkTarget::generator() const {
  return at::globalContext().defaultGenerator(parameters_.values().device());
}

at::Tensor NetworkTarget::hessian_product(const at::Tensor& theta, const at::Tensor& v) {
  SCOREVI_CHECK(options_.second_order && options_.precision == Precision::kFloat32);
  SCOREVI_CHECK(random_state_.defined());
  put(theta);
  generator().set_state(random_state_);
  if (!product_.defined()) product_ = at::empty_like(parameters_.values());
  product_.zero_();
  const std::vector<at::Tensor> parameters = parameters_.parameters();
  const std::vector<params::FlatEntry>& entries = layout().entries();
  for_parts([&](const at::Tensor& loss, double share) {
    const auto first = torch::autograd::grad({loss}, parameters, /*grad_outputs=*/{}, /*retain_graph=*/true,
                                             /*create_graph=*/true, /*allow_unused=*/true);
    at::Tensor along = at::zeros({}, v.options());
    for (size_t i = 0; i < entries.size(); ++i)
      if (first[i].defined()) along = along + (first[i] * layout().view(v, entries[i])).sum();
    if (!along.requires_grad()) return;  // the gradient is constant
    const auto second = torch::autograd::grad({along}, parameters, /*grad_outputs=*/{}, /*retain_graph=*/false,
                                              /*create_graph=*/false, /*allow_unused=*/true);
    const c10::NoGradGuard no_grad;
    for (size_t i = 0; i < entries.size(); ++i)
      if (second[i].defined()) layout().view(product_, entries[i]).add_(second[i], -scale_ * share);
  });
  return product_;
}

double NetworkTarget::backward_in_half() {
  constexpr double kLeast = 1, kMost = 1 << 24;
  constexpr int64_t kPatience = 2000;
  const at::Tensor& gradients = parameters_.gradients();
  const c10::NoGradGuard no_grad;
  double mean_nll = 0;
  for (;; gradient_scale_ /= 2, without_overflow_ = 0) {
    mean_nll = backward(gradient_scale_);
    const bool finite = std::isfinite(at::linalg_vector_norm(gradients, INFINITY).item<double>());
    if (finite || gradient_scale_ <= kLeast) break;
    generator().set_state(random_state_);  // the same random choices again
  }
  parameters_.gradients().mul_(-scale_ / gradient_scale_);
  if (++without_overflow_ >= kPatience && gradient_scale_ < kMost) {
    gradient_scale_ *= 2;
    without_overflow_ = 0;
  }
  return mean_nll;
}

void NetworkTarget::save(params::StateDict& state) const {
  if (options_.precision != Precision::kFloat16) return;
  state.set_double("target.gradient_scale", gradient_scale_);
  state.set_int("target.without_overflow", without_overflow_);
}

void NetworkTarget::load(const params::StateDict& state) {
  if (options_.precision != Precision::kFloat16) return;
  gradient_scale_ = state.get_double("target.gradient_scale");
  without_overflow_ = state.get_int("target.without_overflow");
}

at::Tensor NetworkTarget::forward(const at::Tensor& inputs) {
  if (options_.precision == Precision::kFloat32) return network_->forward(inputs);
  const at::ScalarType dtype = options_.precision == Precision::kBfloat16 ? at::kBFloat16 : at::kHalf;
  const Autocast autocast(inputs.device().type(), dtype);
  return network_->forward(inputs).to(parameters_.values().scalar_type());
}

}  // namespace scorevi::posterior
