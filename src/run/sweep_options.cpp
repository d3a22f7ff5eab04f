// Reads sweep files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "scorevi/config/document.h"
#include "scorevi/core/suggest.h"
#include "scorevi/metrics/definitions.h"
#include "scorevi/run/sweep.h"
#include "settings.h"

namespace scorevi::run {
namespace {

using config::Document;
using config::Node;

const std::vector<std::string> kKeys = {"name", "base", "common", "variants", "grid", "baseline", "metrics", "axis"};
// What an override may change; the rest of the file is its own.
const std::vector<std::string> kOverridable = {"name", "baseline", "metrics", "axis"};

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

struct SplitOverrides {
  std::vector<std::string> document, grid, member;
};

SplitOverrides split_overrides(const std::vector<std::string>& overrides) {
  SplitOverrides split;
  for (const std::string& text : overrides) {
    const std::string key = text.substr(0, text.find('='));
    if (contains(kOverridable, key))
      split.document.push_back(text);
    else if (key.rfind("grid.", 0) == 0)
      split.grid.push_back(text);
    else
      split.member.push_back(text);
  }
  return split;
}

// Folder names and row titles are made of it.
bool plain_name(const std::string& text) {
  return !text.empty() && text[0] != '.' && text.find("__") == std::string::npos &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '+');
         });
}

class SweepReader {
 public:
  SweepReader(Document& document, SweepOptions& options) : document_(document), options_(options) {}

  void read() {
    for (const config::Key& key : document_.root().keys)
      if (!contains(kKeys, key.text))
        document_.add_error(key.at, key.text,
                            "unknown key, expected one of " + join(kKeys) + did_you_mean(key.text, kKeys));
    read_name();
    options_.base = text_of("base", true);
    if (const Node* common = document_.root().find("common"))
      options_.common = overrides_of(*common, "common", document_);
    read_variants();
    read_grid();
    options_.baseline = text_of("baseline", false);
    options_.axis = text_of("axis", false);
    read_metrics();
  }

  // Values that -s grid.KEY=[...] gives.
  void read_grid_override(const std::string& text, const Node& value, Document& source) {
    const std::string key = text.substr(5, text.find('=') - 5);
    const SweepAxis axis = axis_of(key, value, source);
    for (SweepAxis& known : options_.grid)
      if (known.key == key) {
        known = axis;
        return;
      }
    options_.grid.push_back(axis);
  }

  void check_references() {
    std::vector<std::string> names, axes = sweep_axes(options_);
    for (const SweepVariant& variant : options_.variants) names.push_back(variant.name);
    if (!options_.baseline.empty() && !contains(names, options_.baseline))
      document_.add_error("baseline", "unknown variant, got \"" + options_.baseline + "\", expected one of " +
                                          join(names) + did_you_mean(options_.baseline, names));
    if (!options_.axis.empty() && !contains(axes, options_.axis))
      document_.add_error("axis", "not in the grid, got \"" + options_.axis + "\", expected " +
                                      (axes.empty() ? "a grid with an axis besides the seed" : "one of " + join(axes)) +
                                      did_you_mean(options_.axis, axes));
    check_double_keys();
  }

 private:
  std::string text_of(const std::string& key, bool required) {
    const Node* node = document_.root().find(key);
    if (node == nullptr) {
      if (required) document_.add_error(document_.root().at, key, "missing, expected a text");
      return "";
    }
    if (node->kind == Node::Kind::kScalar && !node->text.empty()) return node->text;
    if (node->kind != Node::Kind::kNull || required)
      document_.add_error(node->at, key, "expected a text, got " + node->shown());
    return "";
  }

  void read_name() {
    options_.name = text_of("name", true);
    if (!options_.name.empty() && !plain_name(options_.name))
      document_.add_error(
          "name", "expected letters, digits, _ - . + (no __), got " + config::quoted_for_message(options_.name));
  }

  void read_variants() {
    const Node* node = document_.root().find("variants");
    if (node == nullptr || node->kind != Node::Kind::kMap || node->items.empty()) {
      document_.add_error(node ? node->at : document_.root().at, "variants",
                          "expected a map of names to overrides, such as advi: {method.name: advi}");
      return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const std::string& name = node->keys[i].text;
      const std::string path = "variants." + name;
      if (!plain_name(name))
        document_.add_error(node->keys[i].at, path, "expected a name of letters, digits, _ - . + (no __)");
      SweepVariant variant{name, overrides_of(node->items[i], path, document_)};
      options_.variants.push_back(variant);
    }
  }

  void read_grid() {
    const Node* node = document_.root().find("grid");
    if (node == nullptr || node->kind == Node::Kind::kNull) return;
    if (node->kind != Node::Kind::kMap) {
      document_.add_error(node->at, "grid", "expected a map of keys to lists of values, got " + node->shown());
      return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const std::string& key = node->keys[i].text;
      options_.grid.push_back(axis_of(key, node->items[i], document_));
    }
  }

  // A map of keys to values as "key=value".
  std::vector<std::string> overrides_of(const Node& node, const std::string& path, Document& source) {
    std::vector<std::string> overrides;
    if (node.kind != Node::Kind::kMap) {
      if (node.kind != Node::Kind::kNull)
        source.add_error(node.at, path, "expected a map of overrides, got " + node.shown());
      return overrides;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const config::Key& key = node.keys[i];
      if (key.text == "seed")
        source.add_error(key.at, path + ".seed", "seeds belong to the grid: grid: {seed: [0, 1]}");
      overrides.push_back(key.text + "=" + flow_text(node.items[i]));
      if (&source == &document_) given_keys_.push_back({key.text, path, key.at});
    }
    return overrides;
  }

  // [value, value] or {value: overrides, value: overrides}.
  SweepAxis axis_of(const std::string& key, const Node& node, Document& source) {
    SweepAxis axis{key, {}, {}};
    const std::string path = "grid." + key;
    const bool list = node.kind == Node::Kind::kList;
    const bool map = node.kind == Node::Kind::kMap && key != "seed";
    if ((!list && !map) || node.items.empty()) {
      source.add_error(node.at, path, "expected a list of values, got " + (list ? "an empty list" : node.shown()));
      return axis;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      axis.values.push_back(map ? node.keys[i].text : flow_text(item));
      axis.extras.push_back(map ? overrides_of(item, path + "." + node.keys[i].text, source)
                                : std::vector<std::string>());
      if (std::count(axis.values.begin(), axis.values.end(), axis.values.back()) > 1)
        source.add_error(item.at, path, "the value " + axis.values.back() + " stands here twice");
    }
    return axis;
  }

  void read_metrics() {
    const Node* node = document_.root().find("metrics");
    if (node == nullptr) return;
    options_.metrics.clear();
    if (node->kind != Node::Kind::kList || node->items.empty()) {
      document_.add_error(node->at, "metrics",
                          "expected a list such as [error, ece, nll], got " +
                              (node->kind == Node::Kind::kList ? "an empty list" : node->shown()));
      return;
    }
    std::vector<std::string> known;
    for (const metrics::MetricDefinition& metric : metrics::metric_definitions()) known.emplace_back(metric.key);
    for (const Node& item : node->items) {
      if (item.kind != Node::Kind::kScalar)
        document_.add_error(item.at, "metrics", "expected the name of a metric, got " + item.shown());
      else if (contains(options_.metrics, item.text))
        document_.add_error(item.at, "metrics", item.text + " stands here twice");
      else if (metrics::find_metric(item.text) == nullptr)
        document_.add_error(item.at, "metrics",
                            "unknown metric, got " + item.shown() + ", expected some of " + join(known) +
                                did_you_mean(item.text, known));
      options_.metrics.push_back(item.text);
    }
  }

  // A key has one value: from the variant, the grid or the command line.
  void check_double_keys() {
    std::set<std::string> grid_keys;
    for (const SweepAxis& axis : options_.grid) grid_keys.insert(axis.key);
    for (const GivenKey& item : given_keys_)
      if (grid_keys.count(item.key) > 0)
        document_.add_error(item.at, item.path + "." + item.key, "is an axis of the grid too; a key has one value");
    for (const std::string& text : options_.overrides) {
      const std::string key = text.substr(0, text.find('='));
      if (grid_keys.count(key) > 0)
        document_.add_error("grid." + key, "-s " + text + " would undo this axis; use -s grid." + key + "=[...]");
    }
  }

  struct GivenKey {
    std::string key, path;
    config::Location at;
  };

  Document& document_;
  SweepOptions& options_;
  std::vector<GivenKey> given_keys_;
};

// A sweep is meant to be finished: a product of long lists is a mistake.
constexpr double kMostMembers = 10000;

void check_size(Document& document, const SweepOptions& options) {
  double members = static_cast<double>(options.variants.size());
  for (const SweepAxis& axis : options.grid) members *= static_cast<double>(axis.values.size());
  if (members > kMostMembers)
    document.add_error(
        "grid", fmt::format("variants and grid make {:.0f} runs, expected at most {:.0f}", members, kMostMembers));
}

}  // namespace

SweepOptions load_sweep(const std::string& path, const std::vector<std::string>& overrides) {
  const SplitOverrides split = split_overrides(overrides);
  SweepOptions options;
  options.path = path;
  options.overrides = split.member;
  Document document = Document::from_file(path, split.document);
  SweepReader reader(document, options);
  reader.read();
  for (const std::string& text : split.grid) {
    const std::size_t equal = text.find('=');
    const std::string value = equal == std::string::npos ? "" : text.substr(equal + 1);
    Document source = Document::from_text("value: " + value, "-s " + text);
    reader.read_grid_override(text, *source.root().find("value"), source);
    source.throw_if_errors();
  }
  reader.check_references();
  check_size(document, options);
  document.throw_if_errors();
  const std::filesystem::path base = options.base;
  if (base.is_relative()) options.base = (std::filesystem::path(path).parent_path() / base).lexically_normal().string();
  if (!std::filesystem::is_regular_file(options.base)) {
    document.add_error("base", "no such file, got " + options.base);
    document.throw_if_errors();
  }
  return options;
}

}  // namespace scorevi::run
