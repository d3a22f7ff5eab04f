#include "scorevi/run/config_kind.h"

#include <algorithm>
#include <vector>

#include "scorevi/config/document.h"
#include "scorevi/core/check.h"

namespace scorevi::run {
namespace {

struct Kind {
  ConfigKind kind;
  const char* what;
  const char* command;
  const char* mark;                            // how it is told from others, in words
  std::vector<std::vector<const char*>> keys;  // all keys of one of these sets
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kTable = {
      {ConfigKind::kSweep, "a sweep file", "sweep", "base and variants", {{"base", "variants"}}},
      {ConfigKind::kBench, "a bench file", "bench", "targets and methods", {{"targets", "methods"}}},
      {ConfigKind::kRun, "the configuration of one run", "train", "data or method", {{"data"}, {"method"}}},
  };
  return kTable;
}

bool fits(const Kind& kind, const config::Node& root) {
  return std::any_of(kind.keys.begin(), kind.keys.end(), [&](const auto& keys) {
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return root.find(key) != nullptr; });
  });
}

const Kind& kind_of(ConfigKind wanted) {
  for (const Kind& kind : kinds())
    if (kind.kind == wanted) return kind;
  throw InternalError("a kind that has no entry");
}

}  // namespace

void refuse_other_kind(const config::Node& root, const std::string& name, ConfigKind expected) {
  const Kind& own = kind_of(expected);
  if (fits(own, root) && expected != ConfigKind::kRun) return;
  for (const Kind& other : kinds())
    if (other.kind != expected && fits(other, root))
      throw config::ConfigError(name + ": is " + other.what + " (it has " + other.mark + "), expected " + own.what +
                                " (with " + own.mark + "); run it with: scorevi " + other.command + " " + name);
}

}  // namespace scorevi::run
