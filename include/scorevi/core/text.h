// Beginnings, ends and cases of texts, and texts that can be names.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace scorevi {

inline bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// A to Z become a to z; all other bytes stay.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

// Whether the text can name a folder, a row of a table and a part of a file name between "__": ASCII letters, digits
// and _ - . +, no dot in front, no "__", no _ at either end.
inline constexpr char kPlainName[] = "letters, digits and _ - . +, without __ and no _ at either end";
inline bool is_plain_name(std::string_view text) {
  return !text.empty() && text[0] != '.' && text.front() != '_' && text.back() != '_' &&
         text.find("__") == std::string_view::npos && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '+');
         });
}

}  // namespace scorevi
