#include "scorevi/core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "scorevi/core/utf8.h"

namespace scorevi {

std::string printable(std::string_view text, std::string_view kept) {
  static const char kHex[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    const auto next = static_cast<unsigned char>(length == 2 ? text[1] : 0);
    const bool control = (c < 0x20 || c == 0x7f) && kept.find(text[0]) == std::string_view::npos;
    if (c == 0xc2 && length == 2 && next < 0xa0) {  // U+0080 to U+009f
      result += std::string("\\u00") + kHex[next >> 4] + kHex[next & 15];
    } else if (control || length == 0) {
      result += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./+=:,%") == std::string_view::npos;
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool is_tty(int descriptor) { return ::isatty(descriptor) == 1; }

bool colour_allowed(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return is_tty(descriptor);
}

int terminal_width(int descriptor, int fallback) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

}  // namespace scorevi
