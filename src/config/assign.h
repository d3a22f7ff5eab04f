// Puts one YAML value into a field.
#pragma once

#include <string>
#include <vector>

#include "scorevi/config/node.h"
#include "scorevi/config/visitor.h"

namespace scorevi::config {

struct FieldProblem {
  Location at;
  std::string suffix;  // "[2]" for an element of a list, else ""
  std::string message;
};

// Problems leave the field, or that element, unchanged.
std::vector<FieldProblem> assign(const Node& node, const Field& field);

// "expected one of a, b, c, got "x" (did you mean ...?)"
std::string unknown_name(const std::string& got, const std::vector<std::string>& known);

// "number", "list of integers", ...
std::string type_name(const Field& field);

}  // namespace scorevi::config
