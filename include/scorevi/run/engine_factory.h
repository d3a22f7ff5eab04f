// The engine that the method and optimizer sections describe.
#pragma once

#include <memory>

#include "scorevi/inference/engine.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

// `like`: a buffer [D] of the element type and device to work on. Error(kUsage) for a pattern that fits no parameter.
std::unique_ptr<inference::Engine> make_engine(const RunOptions& options, const params::FlatLayout& layout,
                                               const at::Tensor& like);

}  // namespace scorevi::run
