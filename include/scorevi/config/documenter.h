// Lists the keys that a description takes, for the key reference and for --help.
#pragma once

#include <string>
#include <vector>

#include "scorevi/config/visitor.h"

namespace scorevi::config {

struct KeyDoc {
  std::string path;           // optimizer.momentum, prior.groups[].std
  std::string type;           // number, integer, true/false, text, choice, list of ..., section
  std::string default_value;  // as YAML; "required" when it must be given
  std::string allowed;        // range of a number
  std::string when;           // "optimizer.name = sgd", or "" when the key always exists
  std::string help;
  std::vector<Choice> choices;
};

class Documenter final : public Visitor {
 public:
  const std::vector<KeyDoc>& keys() const { return keys_; }

  // A Markdown table, one row per key.
  std::string markdown() const;

  // Plain lines, at most about 100 characters wide.
  std::string plain_text() const;

 private:
  void on_field(const Field& field) override;
  void on_variant(const char* key, std::string& value, const std::string& help, const std::vector<Variant>& variants,
                  Need need) override;
  void on_section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) override;
  void on_list(const char* key, const std::string& help, const ListAccess& access) override;
  void on_free_map(const char* key, const std::string& help, const std::function<void(const Node&)>& read,
                   Need need) override;

  void add(KeyDoc doc);

  std::vector<KeyDoc> keys_;
  std::string prefix_;
  std::string when_;
};

}  // namespace scorevi::config
