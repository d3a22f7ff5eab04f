// An explicit table of named things: ordered, greppable, no self-registration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi {

// The entry of a table whose member `name` is the name. Throws Error(kUsage) "KIND: unknown name, ..." that lists all
// names and the nearest one.
template <class Entry>
const Entry& find_named(const std::vector<Entry>& table, const std::string& kind, const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : table) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw Error(ErrorKind::kUsage, kind + ": unknown name, got \"" + name + "\", expected one of " + join(names) +
                                     did_you_mean(name, names));
}

// `Make` is a function pointer or std::function. One `registry.cpp` per kind fills the table:
//   const Factory<MakeModel>& models() {
//     static const Factory<MakeModel> table("model", {{"mlp", "fully connected", make_mlp}, ...});
//     return table;
//   }
template <class Make>
class Factory {
 public:
  struct Entry {
    std::string name;
    std::string help;  // one line
    Make make;
  };

  // `kind` names the thing in messages: "model", "optimizer".
  Factory(std::string kind, std::vector<Entry> entries) : kind_(std::move(kind)), entries_(std::move(entries)) {}

  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Entry& entry : entries_) result.push_back(entry.name);
    return result;
  }

  bool contains(const std::string& name) const { return lookup(name) != nullptr; }

  const Entry& find(const std::string& name) const { return find_named(entries_, kind_, name); }

  template <class... Args>
  auto make(const std::string& name, Args&&... args) const {
    return find(name).make(std::forward<Args>(args)...);
  }

 private:
  const Entry* lookup(const std::string& name) const {
    for (const Entry& entry : entries_)
      if (entry.name == name) return &entry;
    return nullptr;
  }

  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace scorevi
