#include "scorevi/run/engine_factory.h"

#include <cmath>

#include "scorevi/inference/advi.h"
#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/map.h"
#include "scorevi/inference/psm.h"
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

}  // namespace

std::unique_ptr<inference::Engine> make_engine(const RunOptions& options, const params::FlatLayout& layout,
                                               const at::Tensor& like) {
  const MethodOptions& method = options.method;
  inference::check_combination(method.name, method.name == "map" ? "point_mass" : options.posterior.family);
  if (method.name == "map") return std::make_unique<inference::Map>(options.optimizer, layout, like);
  if (method.name == "advi") {
    inference::AdviOptions advi;
    set_common(method, advi);
    advi.kl_sampled = method.kl == "sampled";
    return std::make_unique<inference::Advi>(advi, options.optimizer, layout, like);
  }
  if (method.solver == "closed_form")
    return std::make_unique<inference::ClosedForm>(closed_form_options(method), options.optimizer, layout, like);
  return std::make_unique<inference::ProximalScoreMatching>(psm_options(method), options.optimizer, layout, like);
}

}  // namespace scorevi::run
