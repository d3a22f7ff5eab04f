// Escaping, measuring and breaking text for svg.h and html.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the valid UTF-8 character at the start of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF) || code >= 0xFFFE)) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  return length;
}

// Width of one character in units of the font size, for one of the wider sans-serif fonts.
double letter_width(std::string_view letter) {
  if (letter.size() > 1) return letter.size() == 3 && letter[0] != '\xE2' ? 1.0 : 0.64;
  const std::string_view narrow = "iljI.,:;|!'`", slim = "tfr()[]{}/\\ -\"", wide = "mwMW@%";
  const char c = letter[0];
  if (narrow.find(c) != std::string_view::npos) return 0.31;
  if (slim.find(c) != std::string_view::npos) return 0.4;
  if (wide.find(c) != std::string_view::npos) return 0.93;
  if (c >= '0' && c <= '9') return 0.64;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.6;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    const bool control = length == 1 && ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F);
    if (length == 0 || control) {
      out += kReplacement;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

double text_width(std::string_view text, double size) {
  double width = 0.0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    width += letter_width(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width * size;
}

std::vector<std::string> wrap_text(std::string_view text, double size, double max_width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(longer, size) > max_width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string shorten_text(std::string_view text, double size, double max_width) {
  if (text_width(text, size) <= max_width) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const std::string longer = out + std::string(text.substr(0, length));
    if (text_width(longer + "…", size) > max_width) break;
    out = longer;
    text.remove_prefix(length);
  }
  return out + "…";
}

std::string svg_number(double v) {
  if (!std::isfinite(v)) return "0";
  std::string text = fmt::format("{:.2f}", v);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace scorevi::metrics
