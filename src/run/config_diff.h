// What differs between the configuration a run was made with and the one it is to be resumed with.
#pragma once

#include <string>
#include <vector>

namespace scorevi::run {

struct ConfigDifference {
  std::string key;     // optimizer.lr
  std::string before;  // as in the file; "absent" where the key does not exist
  std::string after;
  bool allowed = false;  // may change on resume: lengths, evaluation, logging, places
};

// Both texts are resolved configurations (all keys). Sorted by key.
std::vector<ConfigDifference> config_differences(const std::string& before, const std::string& after);

// Throws Error(kUsage) with the list of differences that would make the resumed run another run.
void check_resumable(const std::string& run_path, const std::string& before, const std::string& after);

}  // namespace scorevi::run
