// A configuration file with its command-line overrides, and every error found in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/config/node.h"
#include "scorevi/core/error.h"

namespace scorevi::config {

// A wrong configuration; the message has one line per error, in the order of the file:
//   config.yaml:12:7: train.lr: expected a number, got "abc"
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};

constexpr std::int64_t kMaxConfigBytes = std::int64_t{1} << 20;  // of the file, and of its texts with aliases expanded
constexpr int kMaxConfigNodes = 20000;                           // with aliases expanded
constexpr int kMaxConfigDepth = 32;                              // of a file, a key path, or an override's value

// Strict YAML: one document, a map at the top, no duplicate keys, no tags, no merge keys (`<<`).
// Anchors and aliases work. Values keep their text: what is a number is decided by the field.
class Document {
 public:
  // Overrides read `train.lr=1e-3`: a key path and a YAML value (lists, maps and null allowed).
  // Later ones win. List items are addressed by number: `prior.groups.0.std=2`.
  // Throws ConfigError at once for unreadable files and syntax errors, which hide everything else;
  // other errors are collected.
  // Where an override stands in another file, `places` (as long as `overrides`, or empty) says what messages call it
  // instead of "-s KEY=VALUE"; "" = so nevertheless.
  static Document from_file(const std::string& path, const std::vector<std::string>& overrides = {},
                            const std::vector<std::string>& places = {});

  // `name` stands for the file in messages.
  static Document from_text(const std::string& text, const std::string& name,
                            const std::vector<std::string>& overrides = {},
                            const std::vector<std::string>& places = {});

  const Node& root() const { return root_; }

  // "config.yaml:12:7" or "-s train.lr=abc" (long overrides are cut) of the value at a key path such as
  // `prior.groups[0].std`; of the nearest enclosing section where the file does not have the key.
  std::string where(const std::string& path) const;
  std::string where(const Location& at) const;
  Location locate(const std::string& path) const;
  bool has(const std::string& path) const;

  // `message` says what is wrong: "expected a number, got ...".
  void add_error(const Location& at, const std::string& path, const std::string& message);
  void add_error(const std::string& path, const std::string& message);
  // Takes over the errors of another document, to be shown after those found so far.
  void add_errors_of(const Document& other);

  bool has_errors() const { return !errors_.empty(); }

  // Throws ConfigError with all errors, sorted by position; does nothing when there are none.
  void throw_if_errors() const;

 private:
  struct Entry {
    Location at;
    std::string text;
  };

  const Node& nearest(const std::string& path, bool* complete) const;
  void apply_override(const std::string& override_text, int source);

  std::vector<std::string> sources_;  // 0: the file; then "-s KEY=VALUE" or a place
  Node root_;
  std::vector<Entry> errors_;
};

}  // namespace scorevi::config
