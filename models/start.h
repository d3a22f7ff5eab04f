// Laws that several networks start from; fans count the connections of one unit.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "scorevi/models/network.h"

namespace scorevi::models {

// Weights of a linear [out, in] or convolution layer [out, in/groups, kernel, kernel].
int64_t fan_in(const at::Tensor& weight);
int64_t fan_out(const at::Tensor& weight);  // of a convolution without groups

// N(0, 2/fan): keeps the variance through relu (He, Zhang, Ren, Sun, "Delving deep into rectifiers", 2015).
Start kaiming_normal(int64_t fan);

// U(-a, a), a^2 = 6/(fan_in + fan_out) (Glorot, Bengio 2010).
Start xavier_uniform(const at::Tensor& weight);

}  // namespace scorevi::models
