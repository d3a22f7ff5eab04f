// Writes option structs as YAML: every key in order, readable by Reader into equal structs. Free maps cannot be
// written.
#pragma once

#include <string>

#include "scorevi/config/visitor.h"

namespace scorevi::config {

class Dumper final : public Visitor {
 public:
  const std::string& text() const { return text_; }

 private:
  void on_field(const Field& field) override;
  void on_variant(const char* key, std::string& value, const std::string& help, const std::vector<Variant>& variants,
                  Need need) override;
  void on_section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) override;
  void on_list(const char* key, const std::string& help, const ListAccess& access) override;
  void on_free_map(const char* key, const std::string& help, const std::function<void(const Node&)>& read,
                   Need need) override;

  void start_line(const char* key);

  std::string text_;
  int indent_ = 0;
  bool after_dash_ = false;  // the next key stands on the line of its list dash
};

// The value of a field as YAML: `0.1`, `null`, `[64, 64]`, `"fc.*"`.
std::string value_text(const Target& target);

}  // namespace scorevi::config
