// The values of a configuration as text.
#pragma once

#include <string>
#include <vector>

#include "scorevi/config/node.h"

namespace scorevi::run {

// `0.1`, `"fc.*"`, `[100, 100]`, `{match: "a", std: 1}`, `null`: reads back as the same value.
std::string flow_text(const config::Node& node);

struct Setting {
  std::string key, value;  // "optimizer.lr", its flow_text
};

// One setting per key that holds no map, in the order of the file. A list is one value.
std::vector<Setting> settings_of(const config::Node& root);

}  // namespace scorevi::run
