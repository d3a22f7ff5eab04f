#include "backend.h"
#include "cuda/update_body.h"

namespace scorevi::kernels::cuda {
namespace {

template <Estimator kEstimator, Norm kNorm, bool kFrozen, class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const PsmArguments<T>& a) {
  using Gradient = generic::PsmGradient<T, kEstimator, kNorm, kFrozen>;
  UpdateBody<T, Gradient> body = {a.in,
                                  Gradient{generic::make_psm(a.options, a.in.prior_std)},
                                  device_rule<T>(a.rule),
                                  device_rule<T>(a.log_std_rule),
                                  a.mean,
                                  a.log_std};
  body.frozen_mean = a.options.frozen_mean;
  body.frozen_log_std = a.options.frozen_log_std;
  body.memory = a.options.curvature;
  return measure<UpdateStats>(exec, begin, end, body);
}

template <Estimator kEstimator, Norm kNorm, class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const PsmArguments<T>& a) {
  return a.options.frozen_mean != nullptr ? launch<kEstimator, kNorm, true>(exec, begin, end, a)
                                          : launch<kEstimator, kNorm, false>(exec, begin, end, a);
}

template <Estimator kEstimator, class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const PsmArguments<T>& a) {
  return a.options.norm == Norm::kCovariance ? launch<kEstimator, Norm::kCovariance>(exec, begin, end, a)
                                             : launch<kEstimator, Norm::kEuclidean>(exec, begin, end, a);
}

}  // namespace

template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& a) {
  switch (a.options.estimator) {
    case Estimator::kSampled:
      return launch<Estimator::kSampled>(exec, begin, end, a);
    case Estimator::kAnalytic:
      return launch<Estimator::kAnalytic>(exec, begin, end, a);
    case Estimator::kAdaptive:
      break;
  }
  return launch<Estimator::kAdaptive>(exec, begin, end, a);
}

template UpdateStats run<PsmArguments<float>>(const Exec&, int64_t, int64_t, const PsmArguments<float>&);
template UpdateStats run<PsmArguments<double>>(const Exec&, int64_t, int64_t, const PsmArguments<double>&);

}  // namespace scorevi::kernels::cuda
