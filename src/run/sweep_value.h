// YAML values as text on one line.
#pragma once

#include <string>

#include "scorevi/config/node.h"

namespace scorevi::run {

// `0.1`, `"fc.*"`, `[100, 100]`, `{match: "a", std: 1}`, `null`: reads back as the same value.
std::string flow_text(const config::Node& node);

}  // namespace scorevi::run
