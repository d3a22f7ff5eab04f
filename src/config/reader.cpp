#include "scorevi/config/reader.h"

#include <algorithm>

#include "assign.h"
#include "scorevi/core/check.h"
#include "scorevi/core/suggest.h"

namespace scorevi::config {
namespace {

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The keys that a description has at its own level.
class KeyCollector final : public Visitor {
 public:
  std::vector<std::string> keys;

 private:
  void on_field(const Field& field) override { keys.emplace_back(field.key); }
  void on_variant(const char* key, std::string&, const std::string&, const std::vector<Variant>&, Need) override {
    keys.emplace_back(key);
  }
  void on_section(const char* key, const std::string&, const std::function<void(Visitor&)>&) override {
    keys.emplace_back(key);
  }
  void on_list(const char* key, const std::string&, const ListAccess&) override { keys.emplace_back(key); }
};

}  // namespace

Reader::Reader(Document& document) : document_(document) { enter(&document.root(), ""); }

void Reader::finish() {
  SCOREVI_CHECK_OP(levels_.size(), ==, 1u);
  leave();
}

std::string Reader::path_of(const std::string& key) const {
  const std::string& path = levels_.back().path;
  return path.empty() ? key : path + "." + key;
}

void Reader::enter(const Node* node, const std::string& path, bool broken) {
  levels_.push_back({node, path, broken, {}, {}});
}

void Reader::leave() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  if (level.node != nullptr) report_unknown(level);
}

void Reader::report_unknown(const Level& level) {
  for (const Key& key : level.node->keys) {
    if (is_in(level.known, key.text)) continue;
    const auto foreign = std::find_if(level.foreign.begin(), level.foreign.end(),
                                      [&](const auto& entry) { return entry.first == key.text; });
    std::string hint = foreign != level.foreign.end() ? foreign->second : did_you_mean(key.text, level.known);
    if (hint.empty()) hint = ", expected one of " + join(level.known);
    document_.add_error(key.at, level.path, "unknown key, got " + quoted_for_message(key.text) + hint);
  }
}

const Node* Reader::take(const char* key, Need need) {
  Level& level = levels_.back();
  level.known.emplace_back(key);
  const Node* node = level.node == nullptr ? nullptr : level.node->find(key);
  if (node == nullptr && need == Need::kRequired && !level.broken)
    document_.add_error(level.path, "missing required key \"" + std::string(key) + "\"");
  return node;
}

void Reader::on_field(const Field& field) {
  const Node* node = take(field.key, field.need);
  if (node == nullptr) return;
  for (const FieldProblem& problem : assign(*node, field))
    document_.add_error(problem.at, path_of(field.key) + problem.suffix, problem.message);
}

void Reader::on_variant(const char* key, std::string& value, const std::string&, const std::vector<Variant>& variants,
                        Need need) {
  const Node* node = take(key, need);
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  bool known_tag = node == nullptr || node->kind == Node::Kind::kScalar;
  if (!known_tag) {
    document_.add_error(node->at, path_of(key), "expected a text, got " + node->shown());
  } else if (node != nullptr) {
    known_tag = is_in(names, node->text);
    if (known_tag)
      value = node->text;
    else
      document_.add_error(node->at, path_of(key), unknown_name(node->text, names));
  }
  for (const Variant& variant : variants) {
    if (!variant.fields) continue;
    if (known_tag && variant.name == value) {
      variant.fields(*this);
      continue;
    }
    KeyCollector collector;
    variant.fields(collector);
    // With a wrong tag nobody knows which keys belong: accept those of every variant.
    for (const std::string& name : collector.keys) {
      if (!known_tag)
        levels_.back().known.push_back(name);
      else
        levels_.back().foreign.emplace_back(
            name, ", it belongs to " + std::string(key) + " \"" + variant.name + "\", not to \"" + value + "\"");
    }
  }
}

void Reader::on_section(const char* key, const std::string&, const std::function<void(Visitor&)>& fields) {
  const Node* node = take(key, Need::kOptional);
  const bool is_map = node != nullptr && node->kind == Node::Kind::kMap;
  const bool wrong = node != nullptr && !is_map && node->kind != Node::Kind::kNull;
  const std::string path = path_of(key);
  if (wrong) document_.add_error(node->at, path, "expected a map of keys, got " + node->shown());
  enter(is_map ? node : nullptr, path, wrong || levels_.back().broken);
  fields(*this);
  leave();
}

void Reader::on_list(const char* key, const std::string&, const ListAccess& access) {
  const Node* node = take(key, Need::kOptional);
  if (node == nullptr) return;
  const std::string path = path_of(key);
  if (node->kind != Node::Kind::kList)
    return document_.add_error(node->at, path, "expected a list of maps, got " + node->shown());
  access.clear();
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const Node& item = node->items[i];
    const std::string item_path = path + "[" + std::to_string(i) + "]";
    const bool is_map = item.kind == Node::Kind::kMap;
    if (!is_map) document_.add_error(item.at, item_path, "expected a map of keys, got " + item.shown());
    access.add();
    enter(is_map ? &item : nullptr, item_path, !is_map);
    access.visit_item(i, *this);
    leave();
  }
}

}  // namespace scorevi::config
