// One description of an options struct serves reading, dumping and documentation.
//
//   struct SgdOptions { double lr = 0.1; bool nesterov = false; };
//   void describe(SgdOptions& o, config::Visitor& v) {
//     v.field("lr", o.lr, "learning rate", config::positive());
//     v.field("nesterov", o.nesterov, "look ahead");
//   }
// The struct's initial values are the defaults. Keys are string literals without dots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "scorevi/config/node.h"
#include "scorevi/config/range.h"

namespace scorevi::config {

class Visitor;

enum class Need { kOptional, kRequired };

struct Choice {
  std::string name;
  std::string help;
};

// One value of a tag key; `fields` describes the keys that exist beside the tag for this value.
struct Variant {
  std::string name;
  std::string help;
  std::function<void(Visitor&)> fields;  // may be empty: no further keys
};

// Where a field lives. An empty optional is written `null` (or `none`).
using Target = std::variant<bool*, std::int64_t*, double*, std::string*, std::optional<double>*,
                            std::optional<std::int64_t>*, std::optional<std::string>*, std::vector<double>*,
                            std::vector<std::int64_t>*, std::vector<std::string>*>;

struct Field {
  const char* key;
  Target target;
  const std::string& help;
  Range range = {};                              // of a number, or of each number of a list
  const std::vector<Choice>* choices = nullptr;  // of a text
  Need need = Need::kOptional;
};

// A list of maps, seen without its element type.
struct ListAccess {
  std::function<std::size_t()> size;
  std::function<void()> clear;
  std::function<void()> add;  // appends a default item
  std::function<void(std::size_t, Visitor&)> visit_item;
  std::function<void(Visitor&)> visit_default;  // an item that is in no list
};

class Visitor {
 public:
  virtual ~Visitor() = default;

  // Numbers and lists of numbers (each element lies in the range).
  template <class T, class = std::enable_if_t<!std::is_same_v<T, bool> && !std::is_same_v<T, std::string> &&
                                              !std::is_same_v<T, std::optional<std::string>> &&
                                              !std::is_same_v<T, std::vector<std::string>>>>
  void field(const char* key, T& value, const std::string& help, const Range& range = any(),
             Need need = Need::kOptional) {
    on_field({key, Target(&value), help, range, nullptr, need});
  }

  // Everything else.
  void field(const char* key, bool& value, const std::string& help, Need need = Need::kOptional) {
    on_field({key, Target(&value), help, {}, nullptr, need});
  }
  void field(const char* key, std::string& value, const std::string& help, Need need = Need::kOptional) {
    on_field({key, Target(&value), help, {}, nullptr, need});
  }
  void field(const char* key, std::optional<std::string>& value, const std::string& help, Need need = Need::kOptional) {
    on_field({key, Target(&value), help, {}, nullptr, need});
  }
  void field(const char* key, std::vector<std::string>& value, const std::string& help, Need need = Need::kOptional) {
    on_field({key, Target(&value), help, {}, nullptr, need});
  }

  // A text out of a fixed list.
  void choice(const char* key, std::string& value, const std::vector<Choice>& choices, const std::string& help,
              Need need = Need::kOptional) {
    on_field({key, Target(&value), help, {}, &choices, need});
  }

  // A tag (usually "name") that decides which further keys stand beside it.
  void variant(const char* key, std::string& value, const std::string& help, const std::vector<Variant>& variants,
               Need need = Need::kOptional) {
    on_variant(key, value, help, variants, need);
  }

  // A nested map.
  void section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) {
    on_section(key, help, fields);
  }

  // A nested map with an options struct of its own that has describe(Options&, Visitor&).
  template <class Options>
  void section(const char* key, Options& options, const std::string& help) {
    on_section(key, help, [&options](Visitor& inner) { describe(options, inner); });
  }

  // A map whose keys are free. `read` takes it apart and reports what is wrong in it; it is called where the key is
  // there.
  void free_map(const char* key, const std::string& help, const std::function<void(const Node&)>& read,
                Need need = Need::kOptional) {
    on_free_map(key, help, read, need);
  }

  // A list of maps: groups: [{match: "fc.*", std: 1.0}]. A list in the file replaces the default one.
  template <class T, class DescribeItem>
  void list(const char* key, std::vector<T>& items, const std::string& help, DescribeItem describe_item) {
    ListAccess access;
    access.size = [&items] { return items.size(); };
    access.clear = [&items] { items.clear(); };
    access.add = [&items] { items.emplace_back(); };
    access.visit_item = [&](std::size_t i, Visitor& inner) { describe_item(items.at(i), inner); };
    access.visit_default = [&](Visitor& inner) {
      T item{};
      describe_item(item, inner);
    };
    on_list(key, help, access);
  }

 protected:
  virtual void on_field(const Field& field) = 0;
  virtual void on_variant(const char* key, std::string& value, const std::string& help,
                          const std::vector<Variant>& variants, Need need) = 0;
  virtual void on_section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) = 0;
  virtual void on_list(const char* key, const std::string& help, const ListAccess& access) = 0;
  virtual void on_free_map(const char* key, const std::string& help, const std::function<void(const Node&)>& read,
                           Need need) = 0;
};

}  // namespace scorevi::config
