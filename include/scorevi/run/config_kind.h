// Which command a YAML file is for.
#pragma once

#include <string>

#include "scorevi/config/node.h"

namespace scorevi::run {

enum class ConfigKind { kRun, kSweep, kBench };

// ConfigError naming the right command where the keys of the file `name` are those of another kind; a file that is of
// no kind passes, for its own errors say more.
void refuse_other_kind(const config::Node& root, const std::string& name, ConfigKind expected);

}  // namespace scorevi::run
