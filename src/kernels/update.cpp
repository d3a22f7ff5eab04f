#include "scorevi/kernels/update.h"

#include "backend.h"
#include "scorevi/core/check.h"

namespace scorevi::kernels {
namespace {

// Weight decay pulls parameters towards zero, which makes sense for means, not for log standard deviations.
OptimizerRule without_decay(OptimizerRule rule) {
  rule.weight_decay = 0;
  return rule;
}

template <class T>
void check_slot(const OptimizerRule& rule, const OptimizerSlot<T>& slot, bool written) {
  SCOREVI_CHECK(slot.param != nullptr);
  if (!written) return;
  const bool adam = rule.kind == OptimizerKind::kAdam || rule.kind == OptimizerKind::kAdamW;
  SCOREVI_CHECK(slot.first != nullptr || !(adam || rule.momentum != 0));
  SCOREVI_CHECK(slot.second != nullptr || !(adam || rule.kind == OptimizerKind::kRmsprop));
}

template <class T>
void check_input(const UpdateInput<T>& in, bool uses_noise) {
  if (in.begin >= in.end) return;
  SCOREVI_CHECK(in.score != nullptr);
  SCOREVI_CHECK_OP(in.prior_std, >, 0.0);
  SCOREVI_CHECK_OP(in.samples, >=, 1);
  SCOREVI_CHECK(!uses_noise || in.samples == 1 || in.score_noise != nullptr);
}

}  // namespace

template <class T>
UpdateStats map_update(const Exec& exec, const UpdateInput<T>& in, const OptimizerRule& rule, OptimizerSlot<T> mean) {
  check_input(in, /*uses_noise=*/false);
  check_slot(rule, mean, in.apply);
  return run(exec, in.begin, in.end, MapArguments<T>{in, rule, mean});
}

template <class T>
UpdateStats advi_update(const Exec& exec, const UpdateInput<T>& in, bool kl_sampled, const OptimizerRule& rule,
                        OptimizerSlot<T> mean, OptimizerSlot<T> log_std) {
  check_input(in, /*uses_noise=*/true);
  check_slot(rule, mean, in.apply);
  check_slot(rule, log_std, in.apply);
  return run(exec, in.begin, in.end, AdviArguments<T>{in, kl_sampled, rule, without_decay(rule), mean, log_std});
}

template <class T>
UpdateStats psm_update(const Exec& exec, const UpdateInput<T>& in, const PsmOptions<T>& options,
                       const OptimizerRule& rule, OptimizerSlot<T> mean, OptimizerSlot<T> log_std) {
  check_input(in, /*uses_noise=*/true);
  check_slot(rule, mean, in.apply);
  check_slot(rule, log_std, in.apply);
  SCOREVI_CHECK((options.frozen_mean == nullptr) == (options.frozen_log_std == nullptr));
  SCOREVI_CHECK(options.estimator != Estimator::kAdaptive || options.curvature != nullptr);
  return run(exec, in.begin, in.end, PsmArguments<T>{in, options, rule, without_decay(rule), mean, log_std});
}

template <class T>
UpdateStats closed_form_update(const Exec& exec, const UpdateInput<T>& in, const ClosedFormOptions<T>& options,
                               const OptimizerRule& rule, OptimizerSlot<T> mean, OptimizerSlot<T> log_std) {
  check_input(in, /*uses_noise=*/true);
  check_slot(rule, mean, in.apply && !options.newton);
  SCOREVI_CHECK(mean.param != nullptr && log_std.param != nullptr);
  return run(exec, in.begin, in.end, ClosedFormArguments<T>{in, options, rule, mean, log_std});
}

template <class T>
UpdateStats optimizer_update(const Exec& exec, int64_t begin, int64_t end, const T* gradient, double scale,
                             const OptimizerRule& rule, OptimizerSlot<T> param) {
  check_slot(rule, param, /*written=*/true);
  return run(exec, begin, end, StepArguments<T>{gradient, scale, rule, param});
}

template <class T>
void accumulate_score(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, int samples, bool first,
                      const T* score, T* score_mean, T* score_noise_mean) {
  SCOREVI_CHECK_OP(samples, >=, 1);
  run(exec, begin, end, AccumulateArguments<T>{key, samples, first, score, score_mean, score_noise_mean});
}

template <class T>
UpdateStats psm_losses(const Exec& exec, const UpdateInput<T>& in, const PsmOptions<T>& options, const T* mean,
                       const T* log_std) {
  UpdateInput<T> one = in;
  one.apply = false;
  one.samples = 1;
  one.score_noise = nullptr;
  PsmOptions<T> literal = options;
  literal.estimator = Estimator::kSampled;
  // Nothing is written when apply is false.
  const OptimizerSlot<T> mean_slot = {const_cast<T*>(mean), nullptr, nullptr};
  const OptimizerSlot<T> log_std_slot = {const_cast<T*>(log_std), nullptr, nullptr};
  return psm_update(exec, one, literal, OptimizerRule{}, mean_slot, log_std_slot);
}

template <class T>
FiniteCheck check_finite(const Exec& exec, int64_t begin, int64_t end, const T* values) {
  return run(exec, begin, end, FiniteArguments<T>{values});
}

#define SCOREVI_INSTANTIATE(T)                                                                                       \
  template UpdateStats map_update<T>(const Exec&, const UpdateInput<T>&, const OptimizerRule&, OptimizerSlot<T>);    \
  template UpdateStats advi_update<T>(const Exec&, const UpdateInput<T>&, bool, const OptimizerRule&,                \
                                      OptimizerSlot<T>, OptimizerSlot<T>);                                           \
  template UpdateStats psm_update<T>(const Exec&, const UpdateInput<T>&, const PsmOptions<T>&, const OptimizerRule&, \
                                     OptimizerSlot<T>, OptimizerSlot<T>);                                            \
  template UpdateStats closed_form_update<T>(const Exec&, const UpdateInput<T>&, const ClosedFormOptions<T>&,        \
                                             const OptimizerRule&, OptimizerSlot<T>, OptimizerSlot<T>);              \
  template UpdateStats optimizer_update<T>(const Exec&, int64_t, int64_t, const T*, double, const OptimizerRule&,    \
                                           OptimizerSlot<T>);                                                        \
  template void accumulate_score<T>(const Exec&, int64_t, int64_t, const NoiseKey&, int, bool, const T*, T*, T*);    \
  template UpdateStats psm_losses<T>(const Exec&, const UpdateInput<T>&, const PsmOptions<T>&, const T*, const T*);  \
  template FiniteCheck check_finite<T>(const Exec&, int64_t, int64_t, const T*);
SCOREVI_INSTANTIATE(float)
SCOREVI_INSTANTIATE(double)

}  // namespace scorevi::kernels
