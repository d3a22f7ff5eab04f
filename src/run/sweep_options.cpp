// Reads sweep files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "describe.h"
#include "scorevi/config/load.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/run/config_kind.h"
#include "scorevi/run/evaluation.h"
#include "scorevi/run/sweep.h"
#include "settings.h"

namespace scorevi::run {
namespace {

using config::Document;
using config::Node;

// What an override may change; the rest of the file is its own.
const std::vector<std::string> kOverridable = {"name", "baseline", "metrics", "axis"};

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// 0.001 and 1e-3 are one value.
bool is_same_value(const std::string& a, const std::string& b) {
  const std::optional<double> x = parse_double(a), y = parse_double(b);
  return a == b || (x && y && *x == *y);
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

class SweepReader {
 public:
  SweepReader(Document& document, SweepOptions& options) : document_(document), options_(options) {}

  void read() {
    const SweepMaps maps = {
        [this](const Node& node) { options_.common = overrides_of(node, "common", document_); },
        [this](const Node& node) { read_variants(node); },
        [this](const Node& node) { read_grid(node); },
    };
    config::read(document_, options_, [&maps](SweepOptions& o, config::Visitor& v) { describe_sweep(o, maps, v); });
    if (!options_.name.empty() && !is_plain_name(options_.name))
      document_.add_error("name",
                          std::string("expected ") + kPlainName + ", got " + config::quoted_for_message(options_.name));
    check_metrics();
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
  void read_variants(const Node& node) {
    if (node.items.empty())
      document_.add_error(node.at, "variants",
                          "is empty, expected names with overrides, such as advi: {method.name: advi}");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string& name = node.keys[i].text;
      const std::string path = "variants." + name;
      if (!is_plain_name(name))
        document_.add_error(node.keys[i].at, path, std::string("expected a name of ") + kPlainName);
      options_.variants.push_back({name, overrides_of(node.items[i], path, document_)});
    }
  }

  void read_grid(const Node& node) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      options_.grid.push_back(axis_of(node.keys[i].text, node.items[i], document_));
  }

  // A map of keys to values as "key=value".
  std::vector<SweepOverride> overrides_of(const Node& node, const std::string& path, Document& source) {
    std::vector<SweepOverride> overrides;
    if (node.kind != Node::Kind::kMap) {
      if (node.kind != Node::Kind::kNull)
        source.add_error(node.at, path, "expected a map of overrides, got " + node.shown());
      return overrides;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const config::Key& key = node.keys[i];
      if (key.text == "seed")
        source.add_error(key.at, path + ".seed", "seeds belong to the grid: grid: {seed: [0, 1]}");
      overrides.push_back({key.text + "=" + flow_text(node.items[i]), source.where(key.at)});
      if (&source == &document_) given_keys_.push_back({key.text, path, key.at});
    }
    return overrides;
  }

  // [value, value] or {value: overrides, value: overrides}.
  SweepAxis axis_of(const std::string& key, const Node& node, Document& source) {
    SweepAxis axis{key, {}};
    const std::string path = "grid." + key;
    const bool list = node.kind == Node::Kind::kList;
    const bool map = node.kind == Node::Kind::kMap && key != "seed";
    if ((!list && !map) || node.items.empty()) {
      source.add_error(node.at, path, "expected a list of values, got " + (list ? "an empty list" : node.shown()));
      return axis;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      SweepValue value{map ? node.keys[i].text : flow_text(item), source.where(map ? node.keys[i].at : item.at), {}};
      if (map) value.extras = overrides_of(item, path + "." + value.text, source);
      const auto known = std::find_if(axis.values.begin(), axis.values.end(), [&](const SweepValue& earlier) {
        return is_same_value(earlier.text, value.text);
      });
      if (known != axis.values.end())
        source.add_error(item.at, path,
                         "the value " + value.text + " stands here twice" +
                             (known->text == value.text ? "" : ", first as " + known->text));
      axis.values.push_back(std::move(value));
    }
    return axis;
  }

  void check_metrics() {
    std::vector<std::string> known = reported_metrics(/*classification=*/true);
    for (const std::string& metric : reported_metrics(/*classification=*/false))
      if (std::find(known.begin(), known.end(), metric) == known.end()) known.push_back(metric);
    const std::vector<std::string>& given = options_.metrics;
    if (given.empty()) document_.add_error("metrics", "got an empty list, expected one such as [error, ece, nll]");
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string place = fmt::format("metrics[{}]", i);
      if (std::count(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), given[i]) > 0)
        document_.add_error(place, given[i] + " stands here twice");
      else if (std::find(known.begin(), known.end(), given[i]) == known.end())
        document_.add_error(place, "unknown metric, got " + config::quoted_for_message(given[i]) +
                                       ", expected some of " + join(known) + did_you_mean(given[i], known));
    }
  }

  // A key has one value: from the variant, the grid or the command line.
  void check_double_keys() {
    std::set<std::string> grid_keys;
    for (const SweepAxis& axis : options_.grid) grid_keys.insert(axis.key);
    for (const GivenKey& item : given_keys_)
      if (grid_keys.count(item.key) > 0)
        document_.add_error(item.at, item.path + "." + item.key, "is an axis of the grid too; a key has one value");
    for (const SweepOverride& item : options_.overrides) {
      const std::string key = item.text.substr(0, item.text.find('='));
      if (grid_keys.count(key) > 0)
        document_.add_error("grid." + key, "-s " + item.text + " would undo this axis; use -s grid." + key + "=[...]");
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

void describe_sweep(SweepOptions& o, const SweepMaps& maps, config::Visitor& v) {
  v.field("name", o.name, "names the folder of the sweep", config::Need::kRequired);
  v.field("base", o.base, "the configuration that all members begin with; a path from the folder of the sweep file",
          config::Need::kRequired);
  v.free_map("common", "overrides of the base for all members: {data.train_size: 300}", maps.common);
  v.free_map("variants",
             "the rows of the table: names with overrides of base and common, map: {method: {name: map}}; a whole "
             "section replaces the section",
             maps.variants, config::Need::kRequired);
  v.free_map("grid",
             "keys with lists of values: every combination is a run of each variant. Over seed is averaged: seed: "
             "[0, 1, 2]. A value may bring overrides: data.train_size: {100: {train.epochs: 600}, 300: {}}",
             maps.grid);
  v.field("baseline", o.baseline, "variant that paired differences on the same seeds are taken against; empty = none");
  v.field("metrics", o.metrics, "columns of the table: keys of evaluation/report.json");
  v.field("axis", o.axis, "key of the grid that figures are drawn against, on a log scale; empty = none");
}

SweepOptions load_sweep(const std::string& path, const std::vector<std::string>& overrides) {
  const SplitOverrides split = split_overrides(overrides);
  SweepOptions options;
  options.path = path;
  for (const std::string& text : split.member) options.overrides.push_back({text, ""});
  Document document = Document::from_file(path, split.document);
  refuse_other_kind(document.root(), path, ConfigKind::kSweep);
  SweepReader reader(document, options);
  reader.read();
  for (const std::string& text : split.grid) {
    const std::size_t equal = text.find('=');
    const std::string value = equal == std::string::npos ? "" : text.substr(equal + 1);
    Document source = Document::from_text("value: null", "grid", {"value=" + value}, {"-s " + text});
    reader.read_grid_override(text, *source.root().find("value"), source);
    document.add_errors_of(source);
  }
  reader.check_references();
  check_size(document, options);
  if (!options.base.empty()) {
    const std::filesystem::path base = options.base;
    if (base.is_relative())
      options.base = (std::filesystem::path(path).parent_path() / base).lexically_normal().string();
    if (!std::filesystem::is_regular_file(options.base))
      document.add_error("base", "no such file, got " + options.base);
  }
  document.throw_if_errors();
  return options;
}

}  // namespace scorevi::run
