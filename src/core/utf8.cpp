#include "scorevi/core/utf8.h"

#include <fmt/format.h>

#include <cstdint>

namespace scorevi {
namespace {

constexpr std::size_t kMaxQuotedBytes = 100;

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text.front()));
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kMaxQuotedBytes;
  text = text.substr(0, kMaxQuotedBytes);
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<std::uint8_t>(text.front());
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return result + (cut ? "...\"" : "\"");
}

}  // namespace scorevi
