#include "scorevi/inference/registry.h"

#include <algorithm>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::inference {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> kTable = {
      {"psm", "proximal score matching (solver gradient or closed_form)", {"diagonal_gaussian"}},
      {"advi", "reparametrised evidence lower bound", {"diagonal_gaussian"}},
      {"map", "point estimate with the same prior", {"point_mass"}},
  };
  return kTable;
}

void check_combination(const std::string& method, const std::string& family) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  const auto found = std::find(names.begin(), names.end(), method);
  if (found == names.end())
    throw Error(ErrorKind::kUsage, "method.name: unknown method, got \"" + method + "\", expected one of " +
                                       join(names) + did_you_mean(method, names));
  const auto& families = methods()[static_cast<size_t>(found - names.begin())].families;
  if (std::find(families.begin(), families.end(), family) == families.end())
    throw Error(ErrorKind::kUsage, "posterior.family: method " + method + " cannot move this family, got \"" + family +
                                       "\", expected one of " + join(families));
}

}  // namespace scorevi::inference
