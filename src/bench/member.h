// The runs that a bench consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"

namespace scorevi::bench {

struct Member {
  std::string id;  // gaussian_d16__bam__seed=3: names its file
  std::size_t target = 0, method = 0;
  int64_t seed = 0;
  // Of a robustness study; else the start's sigma and 1.
  double start_std = 1;
  double rate_factor = 1;
};

// All members in the order target, method, start_std, rate factor, seed. `names`: of the targets. Error(kUsage) for a
// name that is too long for a file.
std::vector<Member> members_of(const BenchOptions& options, const std::vector<std::string>& names);

// The label of a method's row.
std::string label_of(const MethodEntry& method);

}  // namespace scorevi::bench
