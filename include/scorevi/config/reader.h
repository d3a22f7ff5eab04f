// Fills option structs from a document, strictly.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scorevi/config/document.h"
#include "scorevi/config/visitor.h"

namespace scorevi::config {

// Reads the described keys; absent ones keep their value. Every problem becomes an error of the
// document and reading goes on: unknown key (with the tag values that it belongs to, the same key of another
// section, or the nearest known one), wrong type, out of range, unknown choice, missing required key.
//   numbers   1, 1e-4, 1.e-4, .5; never quoted, no 1_000, no leading zero (010), no hexadecimal
//   integers  also 1e3 or 3.0 when whole
//   booleans  true false yes no on off; 1 and 0 are refused
//   texts     any scalar except null
class Reader final : public Visitor {
 public:
  explicit Reader(Document& document);

  // Call after the description ran: reports unknown keys.
  void finish();

 private:
  // A key that stands beside another value of a tag.
  struct Foreign {
    std::string key;
    std::string tag;    // path of the tag: method.name
    std::string owner;  // "psm", with further tags: "psm" with solver "gradient"
    std::string value;  // that the tag has here
  };

  // One map that is being read.
  struct Level {
    const Node* node;  // nullptr: not in the document
    std::string path;
    bool broken;  // an error has been reported for the whole map: no missing keys
    std::vector<std::string> known;
    std::vector<Foreign> foreign;
  };

  void on_field(const Field& field) override;
  void on_variant(const char* key, std::string& value, const std::string& help, const std::vector<Variant>& variants,
                  Need need) override;
  void on_section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) override;
  void on_list(const char* key, const std::string& help, const ListAccess& access) override;
  void on_free_map(const char* key, const std::string& help, const std::function<void(const Node&)>& read,
                   Need need) override;

  const Node* take(const char* key, Need need);
  std::string path_of(const std::string& key) const;
  void enter(const Node* node, const std::string& path, bool broken = false);
  void leave();
  void report_unknown(const Level& level);
  std::string hint_for(const Level& level, const std::string& key) const;

  Document& document_;
  std::vector<Level> levels_;  // from the top to where the description is
  std::vector<Level> left_;    // read, with keys that may be unknown
};

}  // namespace scorevi::config
