// All networks by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scorevi/core/factory.h"
#include "scorevi/models/network.h"
#include "scorevi/models/options.h"

namespace scorevi::models {

struct Recipe {
  std::vector<std::string> options;  // the fields of ModelOptions it takes, beside `name`
  std::shared_ptr<Network> (*build)(const ModelOptions& options, const InputSpec& input, int64_t outputs);
};

const Factory<Recipe>& networks();

using Activation = at::Tensor (*)(const at::Tensor& x);
const Factory<Activation>& activations();

// Builds a float network on the CPU and draws its weights, which depend on the seed alone.
// Throws Error(kUsage) for an unknown name, values out of range, and an input shape the network
// cannot take.
std::shared_ptr<Network> make_network(const ModelOptions& options, const InputSpec& input, int64_t outputs,
                                      uint64_t seed);

// Draws the weights and biases of all linear and convolution layers as PyTorch does by default,
//   U(-1/sqrt(fan_in), 1/sqrt(fan_in)),   fan_in = inputs of one output unit,
// (kaiming_uniform with a = sqrt 5), but from CounterRng(seed, kInitialisation): element i of
// parameter p (the position in named_parameters()) is draw i of sample p. Norm layers keep scale 1
// and shift 0. A parameter of any other layer is an InternalError: its network has to say how it
// starts.
void initialise(torch::nn::Module& network, uint64_t seed);

}  // namespace scorevi::models
