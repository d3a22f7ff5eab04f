// The Gaussian prior of a network's parameters from a few settings by parameter name.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "scorevi/inference/log_density.h"

namespace scorevi::posterior {

struct PriorGroup {
  std::string match;      // parameter name pattern, * matches any text
  double std = 1;         // > 0; inf = uninformative
  std::string mean = "";  // zero | pretrained; "" = as PriorOptions::mean
};

struct PriorOptions {
  std::string mean = "zero";       // zero | pretrained: the values the parameters have when the target is made
  double std = 0.3;                // of every parameter that no group fits
  std::vector<PriorGroup> groups;  // the first that fits a name counts
  // Parameters that were not pretrained (a new head): their mean is 0 where "pretrained" is asked for.
  std::vector<std::string> untrained;
};

// log p(theta) = sum_j log N(theta_j; mu_j, std_j^2). `values` [D] are the pretrained weights; a
// buffer of means is made only where some mean is "pretrained". The learned noise level
// ("log_noise") is uninformative unless a group's match is exactly its name: a pattern like "*" is
// meant for weights. Throws Error(kUsage) for a std that is not positive, an unknown mean, and a
// pattern that fits no parameter.
inference::GaussianPrior make_prior(const PriorOptions& options, const params::FlatLayout& layout,
                                    const at::Tensor& values);

}  // namespace scorevi::posterior
