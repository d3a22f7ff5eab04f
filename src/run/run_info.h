// What run.json says about a run beside its status.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiment.h"

namespace scorevi::run {

// Versions of scorevi and its libraries, compiler, processor, threads.
nlohmann::json environment_info();

// Data counts and fingerprint, parameter count, buffers, memory, configuration hash.
nlohmann::json experiment_info(const Experiment& experiment, const std::string& resolved);

}  // namespace scorevi::run
