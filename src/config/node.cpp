#include "scorevi/config/node.h"

#include <algorithm>
#include <tuple>

namespace scorevi::config {

bool operator<(const Location& a, const Location& b) {
  return std::tie(a.source, a.line, a.column) < std::tie(b.source, b.line, b.column);
}

const Node* Node::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

Node* Node::find(const std::string& key) { return const_cast<Node*>(static_cast<const Node*>(this)->find(key)); }

std::string Node::shown() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing (null)";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map of keys";
    case Kind::kScalar:
      break;
  }
  return quoted_for_message(text);
}

std::string text_for_message(const std::string& text) {
  constexpr std::size_t kMaxLength = 60;
  std::string result;
  std::size_t length = std::min(text.size(), kMaxLength);
  // Not in the middle of a UTF-8 character.
  while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) --length;
  for (char c : text.substr(0, length)) {
    const auto code = static_cast<unsigned char>(c);
    result += code < 0x20 || code == 0x7F ? '?' : c;
  }
  return length < text.size() ? result + "..." : result;
}

std::string quoted_for_message(const std::string& text) { return "\"" + text_for_message(text) + "\""; }

}  // namespace scorevi::config
