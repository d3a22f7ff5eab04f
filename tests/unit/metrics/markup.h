// Checks on generated SVG and HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scorevi::metrics {

// The first thing wrong with a piece of XML, "" for well-formed. Knows tags, attributes in double
// quotes, text, the five named entities and a leading <!DOCTYPE ...>; that is all the module
// writes.
inline std::string xml_fault(std::string_view s) {
  const auto bad_text = [](std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '<') return true;
      if (text[i] != '&') continue;
      const std::string_view entity = text.substr(i, text.find(';', i) - i + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") return true;
    }
    return false;
  };
  std::vector<std::string> open;
  std::size_t at = 0;
  if (s.substr(0, 9) == "<!DOCTYPE") at = s.find('>') + 1;
  bool root_closed = false;
  while (at < s.size()) {
    const std::size_t tag = s.find('<', at);
    const std::string_view text = s.substr(at, tag == s.npos ? s.npos : tag - at);
    if (bad_text(text)) return "bad text: " + std::string(text.substr(0, 60));
    if (open.empty() && text.find_first_not_of(" \n") != text.npos) return "text outside the root";
    if (tag == s.npos) break;
    const std::size_t end = s.find('>', tag);
    if (end == s.npos) return "tag without end";
    std::string_view body = s.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (body.empty()) return "empty tag";
    if (body[0] == '/') {
      if (open.empty() || open.back() != body.substr(1)) return "unexpected </" + std::string(body.substr(1)) + ">";
      open.pop_back();
      root_closed = open.empty();
      continue;
    }
    if (root_closed) return "a second root";
    const bool alone = body.back() == '/';
    if (alone) body.remove_suffix(1);
    const std::size_t name_end = std::min(body.find(' '), body.size());
    const std::string name(body.substr(0, name_end));
    body.remove_prefix(name_end);
    std::vector<std::string_view> names;
    while (!body.empty()) {  // ` name="value"`
      const std::size_t equals = body.find("=\"");
      if (body[0] != ' ') return "attribute of " + name;
      if (body.find_first_not_of(' ') == body.npos) break;
      if (equals == body.npos) return "attribute of " + name;
      const std::string_view attribute = body.substr(1, equals - 1);
      for (std::string_view other : names)
        if (other == attribute) return "twice: " + std::string(attribute);
      names.push_back(attribute);
      const std::size_t close = body.find('"', equals + 2);
      if (close == body.npos) return "open quote in " + name;
      if (bad_text(body.substr(equals + 2, close - equals - 2))) return "bad value in " + name;
      body.remove_prefix(close + 1);
    }
    if (!alone) open.push_back(name);
    root_closed = open.empty();
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace scorevi::metrics
