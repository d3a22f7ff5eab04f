// A parsed YAML value that knows where it was written.
#pragma once

#include <string>
#include <vector>

namespace scorevi::config {

// Source 0 is the file, source i the i-th override. Lines and columns count from 1.
struct Location {
  int source = 0;
  int line = 1;
  int column = 1;
};

bool operator<(const Location& a, const Location& b);

struct Key {
  std::string text;
  Location at;
};

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Location at;
  std::string text;         // of a scalar
  bool quoted = false;      // of a scalar: "1" is no number
  std::vector<Key> keys;    // of a map, parallel to items
  std::vector<Node> items;  // of a list or map

  // The value under `key` of a map; nullptr when there is none.
  const Node* find(const std::string& key) const;
  Node* find(const std::string& key);

  // What it is, for messages: `"abc"`, `a list`, `nothing`. Long texts are cut, control characters
  // replaced.
  std::string shown() const;
};

// The text cut to a readable length, control characters replaced; the second puts it between quotes.
std::string text_for_message(const std::string& text);
std::string quoted_for_message(const std::string& text);

}  // namespace scorevi::config
