// Tensors as plain CPU memory, for code that loops over rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {

// Contiguous doubles on the CPU; no copy where it is that already.
inline at::Tensor as_doubles(const at::Tensor& t) {
  SCOREVI_CHECK(t.defined() && t.is_floating_point());
  return t.detach().to(at::kCPU, at::kDouble).contiguous();
}

inline at::Tensor as_integers(const at::Tensor& t) {
  SCOREVI_CHECK(t.defined() && !t.is_floating_point());
  return t.detach().to(at::kCPU, at::kLong).contiguous();
}

// Throws kData unless 0 <= target < classes.
inline void check_target(std::int64_t target, std::int64_t classes, std::int64_t sample) {
  if (target >= 0 && target < classes) return;
  throw Error(ErrorKind::kData, "metrics: target of sample " + std::to_string(sample) + ", got " +
                                    std::to_string(target) + ", expected 0.." + std::to_string(classes - 1));
}

[[noreturn]] inline void throw_not_finite(const char* what, const std::string& sample, double value) {
  throw Error(ErrorKind::kNumerical, "metrics: " + std::string(what) + " of " + sample + ", got " +
                                         std::to_string(value) + ", expected a finite number");
}

[[noreturn]] inline void throw_not_finite(const char* what, std::int64_t sample, double value) {
  throw_not_finite(what, "sample " + std::to_string(sample), value);
}

}  // namespace scorevi::metrics
