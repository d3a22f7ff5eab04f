#include "scorevi/config/document.h"

#include <algorithm>
#include <utility>

#include "key_path.h"
#include "parse_yaml.h"
#include "scorevi/core/atomic_file.h"

namespace scorevi::config {

Document Document::from_file(const std::string& path, const std::vector<std::string>& overrides,
                             const std::vector<std::string>& places) {
  return from_text(read_file(path, kMaxConfigBytes, ErrorKind::kUsage), path, overrides, places);
}

Document Document::from_text(const std::string& text, const std::string& name,
                             const std::vector<std::string>& overrides, const std::vector<std::string>& places) {
  Document document;
  document.sources_.push_back(name);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const bool placed = !places.empty() && !places.at(i).empty();
    document.sources_.push_back(placed ? places[i] : "-s " + text_for_message(overrides[i]));
  }
  try {
    ParsedYaml parsed = parse_yaml(text, 0);
    document.root_ = std::move(parsed.root);
    if (parsed.empty || document.root_.kind == Node::Kind::kNull)
      throw ConfigError(name + ": is empty, expected a map of keys");
    if (document.root_.kind != Node::Kind::kMap)
      throw ParseError(document.root_.at, "expected a map of keys, got " + document.root_.shown());
    for (const ParseProblem& problem : parsed.problems) document.add_error(problem.at, problem.key, problem.message);
  } catch (const ParseError& error) {
    throw ConfigError(document.where(error.at()) + ": " + error.what());
  }
  for (std::size_t i = 0; i < overrides.size(); ++i) document.apply_override(overrides[i], static_cast<int>(i) + 1);
  return document;
}

void Document::apply_override(const std::string& override_text, int source) {
  const std::size_t equals = override_text.find('=');
  const std::string path = override_text.substr(0, equals);
  const Location at{source, 1, 1};
  if (equals == std::string::npos || !is_key_path(path))
    return add_error(at, "", "expected KEY.KEY=VALUE, got " + quoted_for_message(override_text));
  const std::string shown = text_for_message(path);
  if (split_key_path(path).size() > std::size_t{kMaxConfigDepth})
    return add_error(at, shown, "too many keys, expected at most " + std::to_string(kMaxConfigDepth));
  try {
    ParsedYaml value = parse_yaml(override_text.substr(equals + 1), source);
    for (const ParseProblem& problem : value.problems)
      add_error(problem.at, shown, problem.key + ": " + problem.message);
    value.root.at = at;
    const std::string problem = set_at_path(root_, path, std::move(value.root));
    if (!problem.empty()) add_error(at, shown, problem);
  } catch (const ParseError& error) {
    add_error(at, shown, error.what());
  }
}

const Node& Document::nearest(const std::string& path, bool* complete) const {
  const Node* node = &root_;
  *complete = true;
  for (const std::string& step : split_key_path(path)) {
    const Node* next = child_at(*node, step);
    *complete = next != nullptr;
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

Location Document::locate(const std::string& path) const {
  bool complete = false;
  return nearest(path, &complete).at;
}

bool Document::has(const std::string& path) const {
  bool complete = false;
  nearest(path, &complete);
  return complete;
}

std::string Document::where(const std::string& path) const { return where(locate(path)); }

std::string Document::where(const Location& at) const {
  const std::string& source = sources_[static_cast<std::size_t>(at.source)];
  if (at.source > 0) return source;
  return source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void Document::add_error(const Location& at, const std::string& path, const std::string& message) {
  errors_.push_back({at, where(at) + ": " + (path.empty() ? "" : path + ": ") + message});
}

void Document::add_error(const std::string& path, const std::string& message) {
  add_error(locate(path), path, message);
}

void Document::add_errors_of(const Document& other) {
  const Location last{static_cast<int>(sources_.size()), 1, 1};
  for (const Entry& entry : other.errors_) errors_.push_back({last, entry.text});
}

void Document::throw_if_errors() const {
  if (errors_.empty()) return;
  std::vector<Entry> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
  std::string message;
  for (const Entry& entry : sorted) message += (message.empty() ? "" : "\n") + entry.text;
  throw ConfigError(message);
}

}  // namespace scorevi::config
