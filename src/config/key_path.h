// Key paths: train.lr, prior.groups[0].std (or prior.groups.0.std).
#pragma once

#include <string>
#include <vector>

#include "scorevi/config/node.h"

namespace scorevi::config {

// Whether all steps are non-empty and hold letters, digits, `_`, `-` or a list position.
bool is_key_path(const std::string& path);

std::vector<std::string> split_key_path(const std::string& path);

// The value one step further: a key of a map, or a position (from 0) of a list. nullptr when absent.
const Node* child_at(const Node& node, const std::string& step);

// Puts a value at a path of a tree whose root is a map; missing sections are made on the way.
// Returns what is wrong, or "".
std::string set_at_path(Node& root, const std::string& path, Node value);

}  // namespace scorevi::config
