#include "key_path.h"

#include <algorithm>
#include <utility>

#include "scorevi/core/numbers.h"

namespace scorevi::config {
namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::vector<std::string> split_key_path(const std::string& path) {
  std::vector<std::string> steps(1);
  for (char c : path) {
    if (c == '.' || c == '[')
      steps.emplace_back();
    else if (c != ']')
      steps.back() += c;
  }
  return steps;
}

bool is_key_path(const std::string& path) {
  for (const std::string& step : split_key_path(path))
    if (step.empty() || !std::all_of(step.begin(), step.end(), is_key_character)) return false;
  return true;
}

const Node* child_at(const Node& node, const std::string& step) {
  if (node.kind == Node::Kind::kMap) return node.find(step);
  if (node.kind != Node::Kind::kList) return nullptr;
  const auto position = parse_int(step);
  if (!position || *position < 0 || *position >= static_cast<std::int64_t>(node.items.size())) return nullptr;
  return &node.items[static_cast<std::size_t>(*position)];
}

std::string set_at_path(Node& root, const std::string& path, Node value) {
  Node* node = &root;
  const Location at = value.at;
  std::string reached;
  for (const std::string& step : split_key_path(path)) {
    if (node->kind == Node::Kind::kNull) {
      *node = Node{};
      node->kind = Node::Kind::kMap;
      node->at = at;
    }
    if (node->kind == Node::Kind::kScalar) return reached + " is no section, it is " + node->shown();
    const Node* child = child_at(*node, step);
    if (child == nullptr && node->kind == Node::Kind::kList)
      return reached + " has " + std::to_string(node->items.size()) + " items, expected a position from 0, got " +
             quoted_for_message(step);
    if (child == nullptr) {
      node->keys.push_back({step, at});
      node->items.emplace_back();
      child = &node->items.back();
    }
    node = const_cast<Node*>(child);
    reached += (reached.empty() ? "" : ".") + step;
  }
  *node = std::move(value);
  return "";
}

}  // namespace scorevi::config
