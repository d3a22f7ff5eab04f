// What differs between the configuration a run was made with and the one it is to be resumed with.
#pragma once

#include <string>
#include <vector>

#include "scorevi/run/options.h"

namespace scorevi::run {

struct ConfigDifference {
  std::string key;     // optimizer.lr
  std::string before;  // as in the file; "absent" where the key does not exist
  std::string after;
};

// Both texts are resolved configurations (all keys). Sorted by key.
std::vector<ConfigDifference> config_differences(const std::string& before, const std::string& after);

// Throws Error(kUsage) listing the differences that would make the resumed run another run. `before`: the run's
// resolved configuration. Lengths may change unless the schedule or the proximal weight runs over the whole length.
void check_resumable(const std::string& run_path, const std::string& before, const LoadedOptions& after);

// The same for evaluating a run: only how and where it is evaluated may change. What becomes of bad pictures may, in
// both: one may be damaged later, and check_same_data() sees what is left out.
void check_evaluable(const std::string& run_path, const std::string& before, const LoadedOptions& after);

}  // namespace scorevi::run
