// What a run folder gives back to a later command, refused where it is not what that run wrote.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scorevi/params/state_dict.h"
#include "scorevi/run/options.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// Where a checkpoint has the id of its run (RunDirectory::id).
inline constexpr const char* kRunIdKey = "run.id";

// The run's own configuration with overrides. Error(kData) where config.resolved.yaml is missing or was changed.
LoadedOptions load_run_options(const RunDirectory& directory, const std::vector<std::string>& overrides = {});

// `file` is files::kLast or files::kBest; `prefixes` as for io::load_checkpoint. Error(kData), with what can be done,
// where the file is missing, damaged, or of another run.
params::StateDict load_run_checkpoint(const RunDirectory& directory, const std::string& file,
                                      const std::vector<std::string>& prefixes = {});

// The run in whose folder a checkpoint lies; nothing for a file elsewhere.
std::optional<RunDirectory> run_of_checkpoint(const std::string& path);

}  // namespace scorevi::run
