// What run.json says about a run beside its status.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiment.h"

namespace scorevi::run {

// Versions of scorevi and its libraries, compiler, processor.
nlohmann::json environment_info();

// Data counts and fingerprint, parameter count, buffers, memory.
nlohmann::json experiment_info(const Experiment& experiment);

// RunDirectory::id: the run's name and a hash of its configuration, data and split.
std::string run_id(const Experiment& experiment, const std::string& resolved);

}  // namespace scorevi::run
