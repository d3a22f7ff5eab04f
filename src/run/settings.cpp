#include "settings.h"

#include <algorithm>
#include <cctype>

namespace scorevi::run {
namespace {

// What must be quoted to stay a text inside [...] and {...}.
bool plain_scalar(const std::string& text) {
  return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-' || c == '/' || c >= 0x80;
         });
}

std::string quoted(const std::string& text) {
  static const char kHex[] = "0123456789abcdef";
  std::string result = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c < 0x20) {
      result += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      result += static_cast<char>(c);
    }
  }
  return result + "\"";
}

void collect(const config::Node& node, const std::string& prefix, std::vector<Setting>& settings) {
  if (node.kind != config::Node::Kind::kMap) {
    settings.push_back({prefix, flow_text(node)});
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    collect(node.items[i], prefix.empty() ? node.keys[i].text : prefix + "." + node.keys[i].text, settings);
}

}  // namespace

std::string flow_text(const config::Node& node) {
  switch (node.kind) {
    case config::Node::Kind::kNull:
      return "null";
    case config::Node::Kind::kScalar:
      return node.quoted || !plain_scalar(node.text) ? quoted(node.text) : node.text;
    case config::Node::Kind::kList: {
      std::string text = "[";
      for (std::size_t i = 0; i < node.items.size(); ++i) text += (i > 0 ? ", " : "") + flow_text(node.items[i]);
      return text + "]";
    }
    case config::Node::Kind::kMap: {
      std::string text = "{";
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const std::string& key = node.keys[i].text;
        text += (i > 0 ? ", " : "") + (plain_scalar(key) ? key : quoted(key)) + ": " + flow_text(node.items[i]);
      }
      return text + "}";
    }
  }
  return "";
}

std::vector<Setting> settings_of(const config::Node& root) {
  std::vector<Setting> settings;
  collect(root, "", settings);
  return settings;
}

}  // namespace scorevi::run
