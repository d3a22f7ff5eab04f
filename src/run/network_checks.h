// Whether a network can be built and trained here, told before it fails inside LibTorch.
#pragma once

#include <string>

#include "experiment.h"

namespace scorevi::run {

double parameters_of(const models::Network& network);

// Error(kRuntime) when `parameters` of them, their gradients and the family's buffers alone do not fit into memory.
// Also a network for a GPU is built in main memory first.
void check_memory(const RunOptions& options, double parameters, const std::string& device, Use use);

// Error(kUsage) when the inputs are too small for the network's layers, or when an epoch ends with one row that batch
// norm cannot be trained on unless its statistics are frozen. Runs the network, on the CPU, on one row.
void check_batches(const RunOptions& options, const DataParts& data, models::Network& network,
                   posterior::BatchNormPolicy policy);

}  // namespace scorevi::run
