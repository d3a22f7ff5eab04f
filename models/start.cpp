#include "start.h"

#include <cmath>

namespace scorevi::models {

int64_t fan_in(const at::Tensor& weight) { return weight.numel() / weight.size(0); }

int64_t fan_out(const at::Tensor& weight) { return weight.numel() / weight.size(1); }

Start kaiming_normal(int64_t fan) { return {Start::Law::kNormal, std::sqrt(2.0 / static_cast<double>(fan))}; }

Start xavier_uniform(const at::Tensor& weight) {
  return {Start::Law::kUniform, std::sqrt(6.0 / static_cast<double>(fan_in(weight) + fan_out(weight)))};
}

}  // namespace scorevi::models
