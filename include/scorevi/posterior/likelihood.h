// How the outputs of a network explain the targets: p(y | f), f = f(x; theta).
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace scorevi::posterior {

// The name under which a learned noise level lies in theta.
inline constexpr const char* kLogNoise = "log_noise";

class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual std::string name() const = 0;

  // Mean over the B rows of -log p(y_i | f_i), nats; a differentiable scalar.
  // Throws Error(kUsage) where outputs and targets do not fit each other.
  virtual at::Tensor mean_nll(const at::Tensor& outputs, const at::Tensor& targets) const = 0;

  // Its own parameters, which become part of theta behind the network's.
  virtual std::vector<std::pair<std::string, at::Tensor>> parameters() const { return {}; }
};

// Classes: outputs [B, C] are logits, targets [B] int64 in 0 .. C-1,
//   log p(y | f) = f_y - log sum_c exp f_c;
// or soft targets [B, C] float, rows with sum 1: log p = sum_c y_c f_c - log sum_c exp f_c.
class Categorical final : public Likelihood {
 public:
  std::string name() const override { return "categorical"; }
  at::Tensor mean_nll(const at::Tensor& outputs, const at::Tensor& targets) const override;
  // [B, C] log p(c | f).
  at::Tensor log_predictive(const at::Tensor& outputs) const;
};

// Targets with Gaussian noise, all of one standard deviation s: outputs [B, K] are means, targets
// [B, K], or [B] for K = 1,
//   log p(y | f) = -sum_k [ (y_k - f_k)^2 / (2 s^2) + log s + log(2 pi)/2 ].
// Learned noise: log s is one more parameter, "log_noise", in the units of the targets. It is part
// of theta, so it has a posterior of its own; its prior is uninformative unless a prior group names
// it (see prior.h).
class Gaussian final : public Likelihood {
 public:
  struct Options {
    bool learned = true;
    double noise_std = 1;  // the fixed value, or where learning starts; > 0
  };
  // `like`: dtype and device of the network. Throws Error(kUsage) unless noise_std is positive and
  // finite.
  Gaussian(const Options& options, const at::TensorOptions& like);

  std::string name() const override { return "gaussian"; }
  at::Tensor mean_nll(const at::Tensor& outputs, const at::Tensor& targets) const override;
  std::vector<std::pair<std::string, at::Tensor>> parameters() const override;
  // The noise standard deviation now.
  double noise_std() const;

 private:
  bool learned_;
  at::Tensor log_noise_;  // scalar
};

struct LikelihoodOptions {
  std::string name = "categorical";  // categorical | gaussian
  std::string noise = "learned";     // gaussian: fixed | learned
  double noise_std = 1;              // gaussian: the fixed value, or where learning starts
};

// Throws Error(kUsage) for unknown names.
std::unique_ptr<Likelihood> make_likelihood(const LikelihoodOptions& options, const at::TensorOptions& like);

}  // namespace scorevi::posterior
