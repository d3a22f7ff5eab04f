#include "scorevi/core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace scorevi {

std::string printable(std::string_view text, std::string_view kept) {
  static const char kHex[] = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool second_set = c == 0xc2 && next >= 0x80 && next < 0xa0;  // U+0080 to U+009f in UTF-8
    if (second_set) {
      result += std::string("\\u00") + kHex[next >> 4] + kHex[next & 15];
      ++i;
    } else if ((c < 0x20 || c == 0x7f) && kept.find(text[i]) == std::string_view::npos) {
      result += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      result += text[i];
    }
  }
  return result;
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
