// The posterior of a network's weights given a data set, one mini-batch at a time.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "scorevi/inference/log_density.h"
#include "scorevi/params/flat_params.h"
#include "scorevi/params/state_dict.h"
#include "scorevi/posterior/batch_norm.h"
#include "scorevi/posterior/likelihood.h"
#include "scorevi/posterior/prior.h"

namespace scorevi::posterior {

// Of the network's forward and backward pass; LibTorch's autocast decides which operations it concerns. Parameters,
// score and everything behind them stay float32.
enum class Precision {
  kFloat32,
  kBfloat16,
  // Gradients are multiplied by a scale within the network, so that small ones do not vanish. Where that overflows, the
  // scale is halved and the batch evaluated again; after 2,000 evaluations without it is doubled, up to 2^24.
  kFloat16,
};

struct NetworkTargetOptions {
  int64_t train_rows = 0;  // N: rows of the training split, after the validation split
  double temperature = 1;  // tau > 0 of the likelihood; 1 is Bayes, and tau = kappa in nll + kappa KL/N
  PriorOptions prior;
  bool gradients = true;  // false: for prediction only, evaluate() is not called and D values are saved
  BatchNormPolicy batch_norm = BatchNormPolicy::kRunning;
  // Rows that go through the network at once, 0 = the whole batch. The score is that of the whole batch but for
  // rounding; batch norm that is not frozen sees the smaller batches.
  int64_t micro_batch = 0;
  Precision precision = Precision::kFloat32;
  // hessian_product() is used: evaluations remember the state of LibTorch's generator. For kFloat32 alone.
  bool second_order = false;
  bool channels_last = false;  // memory format of image batches: faster convolutions
};

// log pi(theta) = (1/tau) sum_{i=1..N} log p(y_i | x_i, theta) + log p(theta). evaluate() estimates
// the first term and its gradient without bias from the current batch B,
//   log_density = -(N/tau) NLL_B,   NLL_B = mean over the rows of B of -log p(y_i | x_i, theta);
// over one epoch the |B|/N-weighted mean of these is the full-batch value. The prior is apart, in
// prior(). theta: the network's parameters that require a gradient, then the likelihood's.
//
// Memory: 2 D (values, gradients), 3 D with a pretrained prior mean. The score is the gradient
// buffer itself.
class NetworkTarget final : public inference::LogDensity {
 public:
  // Moves the network's parameters into flat buffers and the network into training mode; its dtype and device are the
  // target's.
  // Throws Error(kUsage) unless N >= 1 and 0 < tau < inf, and for what FlatParams and make_prior
  // refuse.
  NetworkTarget(std::shared_ptr<models::Network> network, std::shared_ptr<Likelihood> likelihood,
                const NetworkTargetOptions& options);

  // The rows that the next evaluations use: inputs [B, ...], targets [B, ...], moved to the
  // target's device (inputs also to its dtype). Throws Error(kUsage) for an empty batch, different
  // row counts, or more rows than N.
  void set_batch(const at::Tensor& inputs, const at::Tensor& targets);

  // Makes the network's own random choices (dropout) in the next evaluations a function of (seed,
  // step): seeds LibTorch's generators from them. Steps are below 2^32.
  void set_step(uint64_t seed, int64_t step);

  // What evaluations carry on beside theta: the scale of float16 gradients. Nothing for other precisions.
  void save(params::StateDict& state) const;
  // Error(kData) where it is missing.
  void load(const params::StateDict& state);
  double gradient_scale() const { return gradient_scale_; }

  int64_t dim() const override { return parameters_.dim(); }
  const params::FlatLayout& layout() const override { return parameters_.layout(); }
  at::Tensor point() override { return parameters_.values(); }
  inference::Evaluation evaluate(const at::Tensor& theta) override;
  const inference::GaussianPrior* prior() const override { return &prior_; }
  double loss_scale() const override { return 1 / scale_; }
  bool has_hessian_product() const override { return options_.second_order; }
  // A backward pass through the backward pass, on the batch and with the dropout of the latest evaluation. Memory: a
  // buffer of D, for the time of the call 2 D more and the activations of both passes. Batch norm whose statistics run
  // sees the batch twice. c10::Error where a layer cannot be differentiated twice.
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override;

  // Inputs as the network takes them: device, dtype, memory format.
  at::Tensor prepared(const at::Tensor& inputs) const;
  models::Network& network() { return *network_; }
  const Likelihood& likelihood() const { return *likelihood_; }

 private:
  at::Tensor forward(const at::Tensor& inputs);
  // Leaves `start` times the gradient of the mean NLL of the batch in the gradient buffer and returns that NLL.
  double backward(double start);
  double backward_in_half();
  void put(const at::Tensor& theta);
  at::Generator generator() const;
  // visit(loss, share) for the mean NLL of every part of the batch that goes through the network at once.
  template <class Visit>
  void for_parts(Visit&& visit);

  std::shared_ptr<models::Network> network_;
  std::shared_ptr<Likelihood> likelihood_;
  params::FlatParams parameters_;
  inference::GaussianPrior prior_;
  NetworkTargetOptions options_;
  double scale_;  // N / tau
  double gradient_scale_ = 65536;
  int64_t without_overflow_ = 0;  // evaluations since the scale changed
  at::Tensor inputs_, targets_;
  at::Tensor product_;       // [D], second_order
  at::Tensor random_state_;  // of LibTorch's generator before the latest evaluation; second_order and float16
};

}  // namespace scorevi::posterior
