#include "scorevi/kernels/noise.h"

#include "backend.h"

namespace scorevi::kernels {

template <class T>
void fill_normal(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, T* out) {
  run(exec, begin, end, FillArguments<T>{key, out});
}

template <class T>
void sample_gaussian(const Exec& exec, int64_t begin, int64_t end, const NoiseKey& key, const T* mean, const T* log_std,
                     T* theta) {
  run(exec, begin, end, SampleArguments<T>{key, mean, log_std, theta});
}

#define SCOREVI_INSTANTIATE(T)                                                      \
  template void fill_normal<T>(const Exec&, int64_t, int64_t, const NoiseKey&, T*); \
  template void sample_gaussian<T>(const Exec&, int64_t, int64_t, const NoiseKey&, const T*, const T*, T*);
SCOREVI_INSTANTIATE(float)
SCOREVI_INSTANTIATE(double)

}  // namespace scorevi::kernels
