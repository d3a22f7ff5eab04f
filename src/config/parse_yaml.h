// YAML text to nodes, with the limits and refusals that Document promises.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "scorevi/config/node.h"

namespace scorevi::config {

// A problem that makes the rest of the text unreadable.
class ParseError : public std::runtime_error {
 public:
  ParseError(const Location& at, const std::string& message) : std::runtime_error(message), at_(at) {}
  const Location& at() const { return at_; }

 private:
  Location at_;
};

// A problem that leaves the rest readable.
struct ParseProblem {
  Location at;
  std::string key;  // the map key that it is about
  std::string message;
};

struct ParsedYaml {
  Node root;
  bool empty = false;  // no document, or only comments
  std::vector<ParseProblem> problems;
};

// Throws ParseError. All locations carry `source`.
ParsedYaml parse_yaml(const std::string& text, int source);

}  // namespace scorevi::config
