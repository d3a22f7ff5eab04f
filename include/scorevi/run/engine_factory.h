// The engine that the method and optimizer sections describe.
#pragma once

#include <memory>

#include "scorevi/inference/engine.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

// `like`: a buffer [D] of the element type and device to work on. Error(kUsage) for a family that the method cannot
// move and for a pattern that fits no parameter, Error(kRuntime) where the matrices of a full family do not fit into
// memory.
std::unique_ptr<inference::Engine> make_engine(const MethodOptions& method, const std::string& family,
                                               const optim::OptimizerOptions& optimizer,
                                               const params::FlatLayout& layout, const at::Tensor& like);

// Whether the optimizer section is used.
bool uses_optimizer(const MethodOptions& method);

// What the schedule multiplies: optimizer.lr or method.mean_step; NaN where there is no such number (gsm, bam).
double learning_rate(const MethodOptions& method, const optim::OptimizerOptions& optimizer);

// That of a training run, where the point is the family of method map.
std::unique_ptr<inference::Engine> make_engine(const RunOptions& options, const params::FlatLayout& layout,
                                               const at::Tensor& like);

}  // namespace scorevi::run
