// One function per target: from options to the target with all that is known about it.
#pragma once

#include <string>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/targets/registry.h"

namespace scorevi::targets {

KnownTarget make_gaussian(const TargetOptions& options);
KnownTarget make_student_t(const TargetOptions& options);
KnownTarget make_mixture(const TargetOptions& options);
KnownTarget make_banana(const TargetOptions& options);
KnownTarget make_funnel(const TargetOptions& options);
KnownTarget make_sinh_arcsinh(const TargetOptions& options);
KnownTarget make_logistic_regression(const TargetOptions& options);
KnownTarget make_mlp_regression(const TargetOptions& options);
KnownTarget make_posteriordb(const TargetOptions& options);

// Throws Error(kUsage) "target.KEY: got VALUE, expected EXPECTED" unless `good`.
template <class T>
void require(bool good, const char* key, const T& got, const std::string& expected) {
  if (!good) throw Error(ErrorKind::kUsage, fmt::format("target.{}: got {}, expected {}", key, got, expected));
}

// Of the dimension.
void require_dim(const TargetOptions& options, int64_t low, int64_t high);
// `value` finite and above 0.
void require_positive(const char* key, double value);
// "_seed3" for the name of a target that depends on the seed; nothing for seed 0.
std::string seed_suffix(const TargetOptions& options);

}  // namespace scorevi::targets
