#include "scorevi/posterior/batch_norm.h"

#include <torch/nn/modules/batchnorm.h>

#include <c10/core/GradMode.h>

namespace scorevi::posterior {
namespace {

template <class Visit>
void visit_batch_norms(models::Network& network, const Visit& visit) {
  for (const auto& module : network.modules(/*include_self=*/false))
    if (auto* norm = module->as<torch::nn::BatchNorm2d>()) visit(*norm);
}

}  // namespace

void set_training_mode(models::Network& network, BatchNormPolicy policy) {
  network.train();
  if (policy == BatchNormPolicy::kFrozen)
    visit_batch_norms(network, [](torch::nn::BatchNorm2dImpl& norm) { norm.eval(); });
}

KeptBuffers::KeptBuffers(models::Network& network) : network_(network) {
  for (const at::Tensor& buffer : network_.buffers()) kept_.push_back(buffer.detach().clone());
}

void KeptBuffers::keep() {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> buffers = network_.buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) kept_[i].copy_(buffers[i]);
}

void KeptBuffers::put_back() {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> buffers = network_.buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(kept_[i]);
}

void Recalibration::run(const std::function<void(const std::function<void(const at::Tensor&)>&)>& each_batch) {
  const c10::NoGradGuard no_grad;
  std::vector<std::optional<double>> momenta;
  visit_batch_norms(network_, [&](torch::nn::BatchNorm2dImpl& norm) {
    momenta.push_back(norm.options.momentum());
    norm.reset_running_stats();
    norm.options.momentum(std::nullopt);  // a cumulative average
    norm.train();
  });
  each_batch([&](const at::Tensor& inputs) { network_.forward(inputs); });
  std::size_t i = 0;
  visit_batch_norms(network_, [&](torch::nn::BatchNorm2dImpl& norm) {
    norm.options.momentum(momenta[i++]);
    norm.eval();
  });
}

}  // namespace scorevi::posterior
