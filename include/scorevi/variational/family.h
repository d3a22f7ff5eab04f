// A variational family: a distribution over theta with its own parameters as flat buffers. No optimiser moments,
// no gradients inside.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/kernels/noise.h"
#include "scorevi/params/flat_layout.h"
#include "scorevi/params/state_dict.h"

namespace scorevi::variational {

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string name() const = 0;
  virtual int64_t dim() const = 0;
  // Its own parameters by name, for example {"mean", [D]}, {"log_std", [D]}.
  virtual std::vector<std::pair<std::string, at::Tensor>> parameters() const = 0;
  // Writes a draw into theta [D]; the noise is a function of the key alone.
  virtual void sample(const kernels::NoiseKey& key, at::Tensor theta) const = 0;
  // Writes the mean of q (S = 0 in prediction) into theta.
  virtual void mean_into(at::Tensor theta) const = 0;
  virtual at::Tensor log_prob(const at::Tensor& theta) const = 0;  // scalar, nats
  virtual at::Tensor score(const at::Tensor& theta) const = 0;     // [D] gradient of log q with respect to theta
  virtual double entropy() const = 0;                              // nats
  // "<parameter>.<name of the layout>" tensors. load() throws Error(kData) for what does not fit.
  virtual void save(params::StateDict& state, const params::FlatLayout& layout) const;
  virtual void load(const params::StateDict& state, const params::FlatLayout& layout);
};

}  // namespace scorevi::variational
