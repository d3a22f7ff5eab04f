// The families there are, with one line each.
#pragma once

#include <string>
#include <vector>

namespace scorevi::variational {

struct FamilyInfo {
  std::string name;
  std::string help;
};

// In the order in which they are listed to people.
const std::vector<FamilyInfo>& families();

}  // namespace scorevi::variational
