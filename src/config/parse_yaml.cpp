#include "parse_yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "scorevi/config/document.h"
#include "scorevi/core/format.h"

namespace scorevi::config {
namespace {

// How much an alias adds.
struct Extent {
  int nodes = 1;
  int depth = 1;
  std::size_t bytes = 0;  // of texts and keys
};

Extent extent_of(const Node& node) {
  Extent extent;
  extent.bytes = node.text.size();
  for (const Key& key : node.keys) extent.bytes += key.text.size();
  for (const Node& item : node.items) {
    const Extent inner = extent_of(item);
    extent.nodes += inner.nodes;
    extent.depth = std::max(extent.depth, inner.depth + 1);
    extent.bytes += inner.bytes;
  }
  return extent;
}

// Builds the tree from the events of the parser. A map under construction receives key and value
// alternately.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(int source) : source_(source) {}

  ParsedYaml take() { return std::move(result_); }
  bool has_document() const { return has_document_; }
  Location start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    has_document_ = true;
    start_ = location(mark);
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.at = location(mark);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto entry = anchors_.find(anchor);
    if (entry == anchors_.end()) throw ParseError(location(mark), "the alias stands inside its own anchor");
    const Extent& extent = entry->second.extent;
    count(extent.nodes, extent.bytes, location(mark));
    if (static_cast<int>(open_.size()) + extent.depth > kMaxConfigDepth) throw_too_deep(location(mark));
    attach(entry->second.node);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(tag, mark);
    Node node;
    node.kind = Node::Kind::kScalar;
    node.at = location(mark);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool key_next = true;              // of a map
    std::map<std::string, int> lines;  // of a map: where each key stands first
  };
  struct Anchored {
    Node node;
    Extent extent;
  };

  Location location(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  void check_tag(const std::string& tag, const YAML::Mark& mark) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw ParseError(location(mark), "tags are not supported, got " + quoted_for_message(tag));
  }

  [[noreturn]] static void throw_too_deep(const Location& at) {
    throw ParseError(at, "nested too deeply, expected at most " + std::to_string(kMaxConfigDepth) + " levels");
  }

  void count(int nodes, std::size_t bytes, const Location& at) {
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > kMaxConfigNodes)
      throw ParseError(
          at, "too many values (aliases count each time), expected at most " + std::to_string(kMaxConfigNodes));
    if (bytes_ > std::size_t{kMaxConfigBytes})
      throw ParseError(at,
                       "too much text (aliases count each time), expected at most " + format_bytes(kMaxConfigBytes));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(tag, mark);
    if (static_cast<int>(open_.size()) + 1 > kMaxConfigDepth) throw_too_deep(location(mark));
    Open entry;
    entry.node.kind = kind;
    entry.node.at = location(mark);
    entry.anchor = anchor;
    open_.push_back(std::move(entry));
  }

  void close() {
    Open entry = std::move(open_.back());
    open_.pop_back();
    add(std::move(entry.node), entry.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    count(1, node.text.size(), node.at);
    if (anchor != 0) anchors_[anchor] = {node, extent_of(node)};
    attach(std::move(node));
  }

  void attach(Node node) {
    if (open_.empty()) {
      result_.root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::kMap && parent.key_next) {
      attach_key(parent, node);
      return;
    }
    parent.node.items.push_back(std::move(node));
    parent.key_next = true;
  }

  void attach_key(Open& parent, const Node& key) {
    if (key.kind != Node::Kind::kScalar) throw ParseError(key.at, "a key must be a plain text, got " + key.shown());
    if (key.text == "<<" && !key.quoted)
      throw ParseError(key.at,
                       "merge keys (<<) are not supported: write the keys out, or use an alias for "
                       "a whole section");
    const auto [first, is_new] = parent.lines.emplace(key.text, key.at.line);
    if (!is_new)
      result_.problems.push_back(
          {key.at, text_for_message(key.text), "duplicate key, first given in line " + std::to_string(first->second)});
    parent.node.keys.push_back({key.text, key.at});
    parent.key_next = false;
  }

  int source_;
  ParsedYaml result_;
  bool has_document_ = false;
  Location start_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  int nodes_ = 0;
  std::size_t bytes_ = 0;
};

void check_bytes(const std::string& text, int source) {
  int line = 1;
  int column = 1;
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 && c != '\n' && c != '\r' && c != '\t')
      throw ParseError({source, line, column}, "control character " + std::to_string(code) + ", expected UTF-8 text");
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
}

}  // namespace

ParsedYaml parse_yaml(const std::string& text, int source) {
  check_bytes(text, source);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(source);
    ParsedYaml result;
    result.root.at.source = source;
    if (!parser.HandleNextDocument(builder) || !builder.has_document()) {
      result.empty = true;
      return result;
    }
    result = builder.take();
    TreeBuilder second(source);
    if (parser.HandleNextDocument(second))
      throw ParseError(second.start(), "a second document starts here, expected only one");
    return result;
  } catch (const YAML::Exception& error) {
    Location at{source, 1, 1};
    if (error.mark.line >= 0) at = {source, error.mark.line + 1, error.mark.column + 1};
    const bool colon = error.msg == "illegal map value";
    throw ParseError(
        at, "not valid YAML: " + error.msg + (colon ? " (a missing colon or quote, here or in the line above?)" : ""));
  }
}

}  // namespace scorevi::config
