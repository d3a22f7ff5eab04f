// Options that engines share.
#pragma once

#include <cstdint>
#include <string>

namespace scorevi::inference {

// Options of every engine that moves a Gaussian.
struct GaussianOptions {
  // M, the draws of theta per step, each one network evaluation; at least 1. More than 1 costs two buffers.
  int64_t samples = 1;
  // A marginal log-std outside these limits after a step means the run has diverged. sigma from 1.1e-7 to 2981: inside
  // them 1/sigma^4 still fits into a float. Doubles have room for 1e-70 to 1e70.
  double min_log_std = -16;
  double max_log_std = 8;
};

// Throws Error(kUsage) naming the first option out of its range; `where` starts the message.
void validate(const GaussianOptions& options, const std::string& where);

}  // namespace scorevi::inference
