// All networks by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scorevi/core/factory.h"
#include "scorevi/models/network.h"
#include "scorevi/models/options.h"
#include "scorevi/models/vision.h"

namespace scorevi::models {

struct Recipe {
  std::vector<std::string> options;  // the fields of ModelOptions it takes, beside `name`
  std::shared_ptr<Network> (*build)(const ModelOptions& options, const InputSpec& input, int64_t outputs);
  std::optional<VisionInput> vision = {};  // of networks for pictures with published weights
  // Of networks whose options set the widths: the number of parameters, exact up to 2^53.
  double (*parameters)(const ModelOptions& options, const InputSpec& input, int64_t outputs) = nullptr;
};

const Factory<Recipe>& networks();

using Activation = at::Tensor (*)(const at::Tensor& x);
const Factory<Activation>& activations();

// How many parameters a network will have, told without asking for their memory; 0 where no option can make it large.
double expected_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs);

// Builds a float network on the CPU. Its weights are valid but not reproducible: initialise it, or
// load them from a file. Throws Error(kUsage) for an unknown name, values out of range, and an input
// shape the network cannot take.
std::shared_ptr<Network> build_network(const ModelOptions& options, const InputSpec& input, int64_t outputs);

// The same with the weights drawn, which depend on the seed alone.
std::shared_ptr<Network> make_network(const ModelOptions& options, const InputSpec& input, int64_t outputs,
                                      uint64_t seed);

// Sets every parameter to what the network's start_of() says, and where that says nothing to what
// PyTorch does by default for its layer: weights and biases of linear and convolution layers
//   U(-1/sqrt(fan_in), 1/sqrt(fan_in)),   fan_in = inputs of one output unit
// (kaiming_uniform with a = sqrt 5), scale 1 and shift 0 in norm layers. A parameter of any other
// layer is an InternalError. The numbers come from CounterRng(seed, kInitialisation): element i of
// parameter p (the position in named_parameters()) is draw i of sample p, on any number of threads.
// The parameters are on the CPU and contiguous.
void initialise(Network& network, uint64_t seed);

}  // namespace scorevi::models
