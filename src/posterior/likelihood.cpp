#include "scorevi/posterior/likelihood.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "scorevi/core/constants.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::posterior {
namespace {

[[noreturn]] void shapes_do_not_fit(const char* likelihood, const at::Tensor& outputs, const at::Tensor& targets,
                                    const char* expected) {
  throw Error(ErrorKind::kUsage,
              fmt::format("likelihood {}: outputs and targets do not fit, got [{}] and {} [{}], expected {}",
                          likelihood, fmt::join(outputs.sizes(), ", "), c10::toString(targets.scalar_type()),
                          fmt::join(targets.sizes(), ", "), expected));
}

}  // namespace

at::Tensor Categorical::mean_nll(const at::Tensor& outputs, const at::Tensor& targets) const {
  const bool labels = targets.dim() == 1 && targets.scalar_type() == at::kLong && outputs.size(0) == targets.size(0);
  const bool soft = targets.is_floating_point() && targets.sizes() == outputs.sizes();
  if (outputs.dim() != 2 || !(labels || soft))
    shapes_do_not_fit("categorical", outputs, targets, "[B, classes] and Long [B], or both [B, classes]");
  return at::cross_entropy_loss(outputs, targets);
}

at::Tensor Categorical::log_predictive(const at::Tensor& outputs) const { return at::log_softmax(outputs, /*dim=*/1); }

Gaussian::Gaussian(const Options& options, const at::TensorOptions& like) : learned_(options.learned) {
  if (!(options.noise_std > 0) || !std::isfinite(options.noise_std)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("likelihood.noise_std: noise of the targets, got {}, expected > 0 and finite", options.noise_std));
  }
  log_noise_ = at::full({}, std::log(options.noise_std), like.requires_grad(false));
  log_noise_.set_requires_grad(learned_);
}

at::Tensor Gaussian::mean_nll(const at::Tensor& outputs, const at::Tensor& targets) const {
  const bool column = targets.dim() == 1 && outputs.dim() == 2 && outputs.size(1) == 1;
  const at::Tensor y = column ? targets.unsqueeze(1) : targets;
  if (outputs.dim() != 2 || y.sizes() != outputs.sizes())
    shapes_do_not_fit("gaussian", outputs, targets, "[B, K] and [B, K], or [B, 1] and [B]");
  const auto per_row = static_cast<double>(outputs.size(1));
  const at::Tensor squares = (y.to(outputs.scalar_type()) - outputs).square().sum(/*dim=*/1).mean();
  return 0.5 * squares * at::exp(-2 * log_noise_) + per_row * (log_noise_ + kLogTwoPi / 2);
}

std::vector<std::pair<std::string, at::Tensor>> Gaussian::parameters() const {
  if (!learned_) return {};
  return {{kLogNoise, log_noise_}};
}

double Gaussian::noise_std() const {
  const c10::NoGradGuard no_grad;
  return std::exp(log_noise_.item<double>());
}

std::unique_ptr<Likelihood> make_likelihood(const LikelihoodOptions& options, const at::TensorOptions& like) {
  if (options.name == "categorical") return std::make_unique<Categorical>();
  if (options.name != "gaussian") {
    throw Error(ErrorKind::kUsage, "likelihood.name: unknown name, got \"" + options.name +
                                       "\", expected one of categorical, gaussian" +
                                       did_you_mean(options.name, {"categorical", "gaussian"}));
  }
  if (options.noise != "fixed" && options.noise != "learned") {
    throw Error(ErrorKind::kUsage, "likelihood.noise: got \"" + options.noise + "\", expected fixed or learned" +
                                       did_you_mean(options.noise, {"fixed", "learned"}));
  }
  Gaussian::Options gaussian;
  gaussian.learned = options.noise == "learned";
  gaussian.noise_std = options.noise_std;
  return std::make_unique<Gaussian>(gaussian, like);
}

}  // namespace scorevi::posterior
