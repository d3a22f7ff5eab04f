#include "scorevi/run/engine_factory.h"

#include <cmath>
#include <limits>

#include "scorevi/core/memory.h"
#include "scorevi/inference/advi.h"
#include "scorevi/inference/advi_full.h"
#include "scorevi/inference/bam.h"
#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/fisher.h"
#include "scorevi/inference/gsm.h"
#include "scorevi/inference/map.h"
#include "scorevi/inference/psm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/registry.h"

namespace scorevi::run {
namespace {

void set_common(const MethodOptions& method, inference::GaussianOptions& options) {
  options.samples = method.samples;
  options.min_log_std = std::log(method.min_std);
  options.max_log_std = std::log(method.max_std);
}

inference::PsmOptions psm_options(const MethodOptions& method) {
  inference::PsmOptions options;
  set_common(method, options);
  options.estimator = method.estimator == "sampled"    ? kernels::Estimator::kSampled
                      : method.estimator == "adaptive" ? kernels::Estimator::kAdaptive
                                                       : kernels::Estimator::kAnalytic;
  options.norm = method.norm == "covariance" ? kernels::Norm::kCovariance : kernels::Norm::kEuclidean;
  options.inner_steps = method.inner_steps;
  options.alpha_max = method.alpha_max;
  options.curvature_decay = method.curvature_decay;
  return options;
}

inference::ClosedFormOptions closed_form_options(const MethodOptions& method) {
  inference::ClosedFormOptions options;
  set_common(method, options);
  options.mean_update =
      method.mean_update == "optimizer" ? inference::MeanUpdate::kOptimizer : inference::MeanUpdate::kNewton;
  options.beta = method.beta;
  options.mean_step = method.mean_step;
  options.average_decay = method.average;
  return options;
}

inference::GaussianOptions gaussian_options(const MethodOptions& method) {
  inference::GaussianOptions options;
  set_common(method, options);
  return options;
}

inference::BamOptions bam_options(const MethodOptions& method) {
  inference::BamOptions options;
  set_common(method, options);
  options.schedule = method.decay == "constant" ? inference::LambdaSchedule::kConstant
                     : method.decay == "sqrt"   ? inference::LambdaSchedule::kSqrt
                                                : inference::LambdaSchedule::kLinear;
  options.lambda = method.lambda;
  options.jitter = method.jitter;
  return options;
}

inference::AdviOptions advi_options(const MethodOptions& method) {
  inference::AdviOptions options;
  set_common(method, options);
  options.kl_sampled = method.kl == "sampled";
  return options;
}

using Made = std::unique_ptr<inference::Engine>;

Made make_full(const MethodOptions& method, const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout,
               const at::Tensor& like) {
  if (method.name == "gsm") return std::make_unique<inference::Gsm>(gaussian_options(method));
  if (method.name == "bam") return std::make_unique<inference::Bam>(bam_options(method));
  if (method.name == "advi")
    return std::make_unique<inference::AdviFull>(advi_options(method), optimizer, layout, like);
  if (method.solver == "closed_form") return std::make_unique<inference::ClosedFormFull>(closed_form_options(method));
  return std::make_unique<inference::ProximalScoreMatchingFull>(psm_options(method), optimizer, layout, like);
}

}  // namespace

Made make_engine(const MethodOptions& method, const std::string& family, const optim::OptimizerOptions& optimizer,
                 const params::FlatLayout& layout, const at::Tensor& like) {
  inference::check_combination(method.name, family);
  inference::check_matrices(method.name, family, layout.dim(), available_memory_bytes());
  if (family == "full_gaussian") return make_full(method, optimizer, layout, like);
  if (method.name == "map") return std::make_unique<inference::Map>(optimizer, layout, like);
  if (method.name == "advi") return std::make_unique<inference::Advi>(advi_options(method), optimizer, layout, like);
  if (method.name == "bam") return std::make_unique<inference::BamDiagonal>(bam_options(method), like);
  if (method.name == "fisher")
    return std::make_unique<inference::Fisher>(gaussian_options(method), optimizer, layout, like);
  if (method.solver == "closed_form")
    return std::make_unique<inference::ClosedForm>(closed_form_options(method), optimizer, layout, like);
  return std::make_unique<inference::ProximalScoreMatching>(psm_options(method), optimizer, layout, like);
}

bool uses_optimizer(const MethodOptions& method) {
  if (method.name == "gsm" || method.name == "bam") return false;
  return method.name != "psm" || method.solver != "closed_form" || method.mean_update == "optimizer";
}

double learning_rate(const MethodOptions& method, const optim::OptimizerOptions& optimizer) {
  if (uses_optimizer(method)) return optimizer.lr;
  return method.name == "psm" ? method.mean_step : std::numeric_limits<double>::quiet_NaN();
}

Made make_engine(const RunOptions& options, const params::FlatLayout& layout, const at::Tensor& like) {
  const MethodOptions& method = options.method;
  if (options.posterior.rest == "map" && method.name == "psm" && method.solver == "closed_form") {
    inference::ClosedFormOptions closed_form = closed_form_options(method);
    closed_form.points = true;
    return std::make_unique<inference::ClosedForm>(closed_form, options.optimizer, layout, like);
  }
  const std::string family = options.method.is_point() ? "point_mass" : options.posterior.family;
  return make_engine(options.method, family, options.optimizer, layout, like);
}

}  // namespace scorevi::run
