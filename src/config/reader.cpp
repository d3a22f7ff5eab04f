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

// The keys that a description has at its own level, those beside any value of a tag among them.
class KeyCollector final : public Visitor {
 public:
  struct Entry {
    std::string key;
    std::string with;  // ` with solver "gradient"`, "" for a key that is always there
  };
  std::vector<Entry> keys;

 private:
  void on_field(const Field& field) override { add(field.key); }
  void on_variant(const char* key, std::string&, const std::string&, const std::vector<Variant>& variants,
                  Need) override {
    add(key);
    const std::string outer = with_;
    for (const Variant& variant : variants) {
      if (!variant.fields) continue;
      with_ = outer + " with " + key + " \"" + variant.name + "\"";
      variant.fields(*this);
    }
    with_ = outer;
  }
  void on_section(const char* key, const std::string&, const std::function<void(Visitor&)>&) override { add(key); }
  void on_list(const char* key, const std::string&, const ListAccess&) override { add(key); }
  void on_free_map(const char* key, const std::string&, const std::function<void(const Node&)>&, Need) override {
    add(key);
  }
  void add(const char* key) { keys.push_back({key, with_}); }

  std::string with_;
};

std::string joined(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

}  // namespace

Reader::Reader(Document& document) : document_(document) { enter(&document.root(), ""); }

void Reader::finish() {
  SCOREVI_CHECK_OP(levels_.size(), ==, 1u);
  leave();
  for (const Level& level : left_)
    if (level.node != nullptr) report_unknown(level);
}

std::string Reader::path_of(const std::string& key) const { return joined(levels_.back().path, key); }

void Reader::enter(const Node* node, const std::string& path, bool broken) {
  levels_.push_back({node, path, broken, {}, {}});
}

void Reader::leave() {
  left_.push_back(std::move(levels_.back()));
  levels_.pop_back();
}

void Reader::report_unknown(const Level& level) {
  for (const Key& key : level.node->keys)
    if (!is_in(level.known, key.text))
      document_.add_error(key.at, level.path,
                          "unknown key, got " + quoted_for_message(key.text) + hint_for(level, key.text));
}

std::string Reader::hint_for(const Level& level, const std::string& key) const {
  std::vector<std::string> owners;
  const Foreign* foreign = nullptr;
  for (const Foreign& entry : level.foreign) {
    if (entry.key != key || (foreign != nullptr && entry.tag != foreign->tag)) continue;
    foreign = &entry;
    owners.push_back(entry.owner);
  }
  if (foreign != nullptr)
    return ", it belongs to " + foreign->tag + " " + join(owners, " or ") + ", not to \"" + foreign->value + "\"";
  constexpr std::size_t kFew = 3;
  std::vector<std::string> elsewhere;  // sections that have this key; no items of lists
  for (const Level& other : left_)
    if (is_in(other.known, key) && other.path.find('[') == std::string::npos)
      elsewhere.push_back("\"" + joined(other.path, key) + "\"");
  if (!elsewhere.empty() && elsewhere.size() <= kFew) return " (did you mean " + join(elsewhere, " or ") + "?)";
  const std::string near = did_you_mean(key, level.known);
  return near.empty() ? ", expected one of " + join(level.known) : near;
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
    for (const KeyCollector::Entry& entry : collector.keys) {
      if (!known_tag)
        levels_.back().known.push_back(entry.key);
      else
        levels_.back().foreign.push_back({entry.key, path_of(key), "\"" + variant.name + "\"" + entry.with, value});
    }
  }
}

void Reader::on_section(const char* key, const std::string&, const std::function<void(Visitor&)>& fields) {
  const Node* node = take(key, Need::kOptional);
  const bool is_map = node != nullptr && node->kind == Node::Kind::kMap;
  const bool wrong = node != nullptr && !is_map;
  const std::string path = path_of(key);
  if (wrong)
    document_.add_error(
        node->at, path,
        "expected a map of keys, got " + node->shown() +
            (node->kind == Node::Kind::kNull ? " (leave the key out for the defaults, or write {})" : ""));
  enter(is_map ? node : nullptr, path, wrong || levels_.back().broken);
  fields(*this);
  leave();
}

void Reader::on_free_map(const char* key, const std::string&, const std::function<void(const Node&)>& read, Need need) {
  const Node* node = take(key, need);
  if (node == nullptr || (node->kind == Node::Kind::kNull && need == Need::kOptional)) return;
  if (node->kind != Node::Kind::kMap)
    return document_.add_error(node->at, path_of(key), "expected a map of keys, got " + node->shown());
  read(*node);
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
