// What the terminal behind a file descriptor can do.
#pragma once

#include <string>
#include <string_view>

namespace scorevi {

// The text with control characters, but for those in `kept`, and bytes that are no UTF-8 as \x1b or \u009b: names from
// files must not steer a terminal.
std::string printable(std::string_view text, std::string_view kept = "");

// One word for a shell: in single quotes where it holds more than letters, digits and _ - . / + = : , %.
std::string shell_word(std::string_view text);

bool is_tty(int descriptor);

// A terminal, NO_COLOR unset or empty, and TERM other than "dumb".
bool colour_allowed(int descriptor);

// Columns of the terminal; `fallback` where there is none.
int terminal_width(int descriptor, int fallback = 80);

}  // namespace scorevi
