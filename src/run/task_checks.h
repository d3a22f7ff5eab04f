// Whether the keys of a run go with its data.
#pragma once

#include <string>

#include "data_parts.h"

namespace scorevi::run {

// What likelihood.name: auto stands for.
std::string likelihood_for(bool classification);

// Error(kUsage) with all keys that do not go with the targets of the data.
void check_task(const RunOptions& options, bool classification);

// Error(kUsage) with all keys that need validation or test rows, where the split has none.
void check_parts(const RunOptions& options, const DataParts& data);

}  // namespace scorevi::run
