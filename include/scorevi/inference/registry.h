// The inference methods there are, and which families each of them takes.
#pragma once

#include <string>
#include <vector>

namespace scorevi::inference {

struct MethodInfo {
  std::string name;
  std::string help;                   // one line
  std::vector<std::string> families;  // that it can move
};

// In the order in which they are listed to people.
const std::vector<MethodInfo>& methods();

// Refuses what cannot work, before any data is read: an unknown method or a family that it cannot move.
// Throws Error(kUsage) naming what would be possible.
void check_combination(const std::string& method, const std::string& family);

}  // namespace scorevi::inference
