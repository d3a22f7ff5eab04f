#include "backend.h"
#include "cuda/update_body.h"

namespace scorevi::kernels::cuda {
namespace {

template <class T>
struct StepBody {
  StepArguments<T> a;
  DeviceRule<T> rule;
  __device__ void operator()(const Group& group, UpdateStats& all) const {
    for (int k = group.low; k < group.high; ++k) {
      const int64_t j = group.base + k;
      const T g = a.gradient[j] * static_cast<T>(a.scale);
      all.gradient_sq += static_cast<double>(g) * g;
      step_element(rule, a.param, j, g);
      measure_element<T>(a.param.param, nullptr, j, all);
    }
  }
};

template <class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const StepArguments<T>& a) {
  return measure<UpdateStats>(exec, begin, end, StepBody<T>{a, device_rule<T>(a.rule)});
}

template <class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const MapArguments<T>& a) {
  using Gradient = generic::MapGradient<T>;
  const DeviceRule<T> rule = device_rule<T>(a.rule);
  const UpdateBody<T, Gradient> body = {a.in, Gradient{generic::make_prior<T>(a.in.prior_std)}, rule, rule, a.mean, {}};
  return measure<UpdateStats>(exec, begin, end, body);
}

template <bool kSampled, class T>
UpdateStats launch_advi(const Exec& exec, int64_t begin, int64_t end, const AdviArguments<T>& a) {
  using Gradient = generic::AdviGradient<T, kSampled>;
  const UpdateBody<T, Gradient> body = {a.in,
                                        Gradient{generic::make_prior<T>(a.in.prior_std)},
                                        device_rule<T>(a.rule),
                                        device_rule<T>(a.log_std_rule),
                                        a.mean,
                                        a.log_std};
  return measure<UpdateStats>(exec, begin, end, body);
}

template <class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const AdviArguments<T>& a) {
  return a.kl_sampled ? launch_advi<true>(exec, begin, end, a) : launch_advi<false>(exec, begin, end, a);
}

template <class T>
UpdateStats launch(const Exec& exec, int64_t begin, int64_t end, const ClosedFormArguments<T>& a) {
  using Gradient = generic::ClosedFormGradient<T>;
  const DeviceRule<T> rule = device_rule<T>(a.rule);
  UpdateBody<T, Gradient> body = {
      a.in, Gradient{generic::make_closed_form(a.options, a.in.prior_std)}, rule, rule, a.mean, a.log_std};
  body.memory = a.options.average;
  body.newton = a.options.newton;
  return measure<UpdateStats>(exec, begin, end, body);
}

}  // namespace

template <class A>
typename A::Result run(const Exec& exec, int64_t begin, int64_t end, const A& arguments) {
  return launch(exec, begin, end, arguments);
}

#define SCOREVI_INSTANTIATE(...) \
  template __VA_ARGS__::Result run<__VA_ARGS__>(const Exec&, int64_t, int64_t, const __VA_ARGS__&);
SCOREVI_UPDATE_KERNELS(SCOREVI_INSTANTIATE, float)
SCOREVI_UPDATE_KERNELS(SCOREVI_INSTANTIATE, double)

}  // namespace scorevi::kernels::cuda
