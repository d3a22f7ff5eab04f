// "@head" in patterns of parameter names.
#pragma once

#include "scorevi/run/options.h"

namespace scorevi::run {

// Replaces the pattern "@head" wherever parameters are named by the one that fits the network's last layer, "fc.*" for
// a ResNet. Error(kUsage) where the network has no head by name.
RunOptions with_head_patterns(RunOptions options);

}  // namespace scorevi::run
