// Whether a network can be built and trained here, told before it fails inside LibTorch.
#pragma once

#include <string>

#include "experiment.h"

namespace scorevi::run {

// Whether posterior.match leaves no parameter frozen.
bool learns_all(const RunOptions& options);

// Parameters that are learned.
double learned_parameters(const models::Network& network);

// Error(kRuntime) when the `parameters` of a network and all buffers of their size that training needs do not fit into
// memory; of a network that is learned in part the parameters alone. Before the network is built: also one for a GPU is
// built in main memory first.
void check_memory_before(const RunOptions& options, double parameters, const std::string& device, Use use);
// The same for the buffers of what is learned, when the network is there.
void check_memory_after(const RunOptions& options, const models::Network& network, const std::string& device, Use use);

// Bytes that the network holds between a forward and a backward pass on one row, measured on the CPU.
int64_t activation_bytes_per_row(models::Network& network, const std::vector<int64_t>& input_shape);

// What a row holds between the two backward passes of a Hessian product. `name` of the model is for the Error(kUsage)
// where a layer cannot be differentiated twice.
int64_t second_order_bytes_per_row(models::Network& network, const std::vector<int64_t>& input_shape,
                                   const std::string& name);

// Error(kRuntime) when the activations of a batch, as large as it goes through the network, do not fit into memory.
void check_activations(const RunOptions& options, const DataParts& data, models::Network& network,
                       const std::string& device);

// Error(kUsage) when the inputs are too small for the network's layers, or when an epoch ends with one row that batch
// norm cannot be trained on unless its statistics are frozen. Runs the network, on the CPU, on one row.
void check_batches(const RunOptions& options, const DataParts& data, models::Network& network,
                   posterior::BatchNormPolicy policy);

}  // namespace scorevi::run
