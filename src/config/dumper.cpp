#include "scorevi/config/dumper.h"

#include <array>
#include <cmath>
#include <string_view>

#include "scorevi/core/check.h"
#include "scorevi/core/format.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/text.h"

namespace scorevi::config {
namespace {

// Texts that YAML readers, ours or others, take for something else.
bool is_reserved(const std::string& text) {
  static const std::array<std::string_view, 13> kWords = {"null", "true", "false", "yes", "no",  "on", "off",
                                                          "y",    "n",    "none",  "nan", "inf", "~"};
  const std::string lower = lower_case(text);
  for (std::string_view word : kWords)
    if (lower == word) return true;
  return false;
}

bool is_safe_plain(const std::string& text) {
  if (text.empty() || is_reserved(text) || parse_double(text)) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
  };
  if (!is_letter(text.front())) return false;
  for (char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '+') return false;
  return true;
}

std::string scalar(const std::string& text) {
  if (is_safe_plain(text)) return text;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7F) {
      result += "\\x";
      result += kDigits[code >> 4];
      result += kDigits[code & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string scalar(bool value) { return value ? "true" : "false"; }
std::string scalar(std::int64_t value) { return std::to_string(value); }
std::string scalar(double value) {
  if (std::isfinite(value)) return format_double(value);
  return std::isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
}

struct ValueText {
  template <class T>
  std::string operator()(const T* value) const {
    return scalar(*value);
  }
  template <class T>
  std::string operator()(const std::optional<T>* value) const {
    return value->has_value() ? scalar(**value) : "null";
  }
  template <class T>
  std::string operator()(const std::vector<T>* values) const {
    std::string result = "[";
    for (std::size_t i = 0; i < values->size(); ++i) result += (i > 0 ? ", " : "") + scalar((*values)[i]);
    return result + "]";
  }
};

}  // namespace

std::string value_text(const Target& target) { return std::visit(ValueText{}, target); }

void Dumper::start_line(const char* key) {
  if (after_dash_)
    after_dash_ = false;
  else
    text_.append(static_cast<std::size_t>(indent_), ' ');
  text_ += key;
  text_ += ':';
}

void Dumper::on_field(const Field& field) {
  start_line(field.key);
  text_ += " " + value_text(field.target) + "\n";
}

void Dumper::on_variant(const char* key, std::string& value, const std::string&, const std::vector<Variant>& variants,
                        Need) {
  start_line(key);
  text_ += " " + scalar(value) + "\n";
  for (const Variant& variant : variants)
    if (variant.name == value && variant.fields) variant.fields(*this);
}

void Dumper::on_section(const char* key, const std::string&, const std::function<void(Visitor&)>& fields) {
  start_line(key);
  text_ += '\n';
  const std::size_t before = text_.size();
  indent_ += 2;
  fields(*this);
  indent_ -= 2;
  if (text_.size() == before) text_.insert(before - 1, " {}");
}

void Dumper::on_list(const char* key, const std::string&, const ListAccess& access) {
  start_line(key);
  const std::size_t count = access.size();
  text_ += count == 0 ? " []\n" : "\n";
  for (std::size_t i = 0; i < count; ++i) {
    text_.append(static_cast<std::size_t>(indent_) + 2, ' ');
    text_ += "- ";
    after_dash_ = true;
    indent_ += 4;
    access.visit_item(i, *this);
    indent_ -= 4;
    SCOREVI_CHECK(!after_dash_);  // an item has at least one key
  }
}

void Dumper::on_free_map(const char* key, const std::string&, const std::function<void(const Node&)>&, Need) {
  throw InternalError(std::string(key) + ": a free map cannot be written");
}

}  // namespace scorevi::config
