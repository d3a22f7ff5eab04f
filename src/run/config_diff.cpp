#include "config_diff.h"

#include <algorithm>
#include <map>

#include "scorevi/config/document.h"
#include "scorevi/core/error.h"
#include "scorevi/core/glob.h"

namespace scorevi::run {
namespace {

// Keys that change how long, how often or where, never what is learned in a step.
const std::vector<std::string>& allowed_keys() {
  static const std::vector<std::string> keys = {"name",
                                                "device",
                                                "threads",
                                                "data.root",
                                                "data.workers",
                                                "evaluate.*",
                                                "train.epochs",
                                                "train.eval_every",
                                                "train.patience",
                                                "train.checkpoint_every",
                                                "train.checkpoint_every_steps",
                                                "train.log_every_steps"};
  return keys;
}

void flatten(const config::Node& node, const std::string& path, std::map<std::string, std::string>& out) {
  using Kind = config::Node::Kind;
  if (node.kind == Kind::kMap) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], path.empty() ? node.keys[i].text : path + "." + node.keys[i].text, out);
  } else if (node.kind == Kind::kList) {
    out[path + ".length"] = std::to_string(node.items.size());
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], path + "[" + std::to_string(i) + "]", out);
  } else {
    out[path] = node.kind == Kind::kNull ? "null" : node.text;
  }
}

bool is_allowed(const std::string& key) {
  const auto& keys = allowed_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& pattern) { return glob_match(pattern, key); });
}

}  // namespace

std::vector<ConfigDifference> config_differences(const std::string& before, const std::string& after) {
  std::map<std::string, std::string> old_values, new_values;
  flatten(config::Document::from_text(before, "the run's configuration").root(), "", old_values);
  flatten(config::Document::from_text(after, "the new configuration").root(), "", new_values);
  std::vector<ConfigDifference> differences;
  for (const auto& [key, value] : old_values) {
    const auto it = new_values.find(key);
    if (it == new_values.end() || it->second != value)
      differences.push_back({key, value, it == new_values.end() ? "absent" : it->second, is_allowed(key)});
  }
  for (const auto& [key, value] : new_values)
    if (old_values.count(key) == 0) differences.push_back({key, "absent", value, is_allowed(key)});
  std::sort(differences.begin(), differences.end(),
            [](const ConfigDifference& a, const ConfigDifference& b) { return a.key < b.key; });
  return differences;
}

void check_resumable(const std::string& run_path, const std::string& before, const std::string& after) {
  std::string refused;
  for (const ConfigDifference& d : config_differences(before, after))
    if (!d.allowed) refused += "\n  " + d.key + ": run has " + d.before + ", configuration has " + d.after;
  if (!refused.empty())
    throw Error(ErrorKind::kUsage, run_path + ": cannot resume with another experiment:" + refused +
                                       "\n  give the run's own values, or start a new run");
}

}  // namespace scorevi::run
