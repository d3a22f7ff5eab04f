// What the terminal behind a file descriptor can do.
#pragma once

namespace scorevi {

bool is_tty(int descriptor);

// A terminal, NO_COLOR unset or empty, and TERM other than "dumb".
bool colour_allowed(int descriptor);

// Columns of the terminal; `fallback` where there is none.
int terminal_width(int descriptor, int fallback = 80);

}  // namespace scorevi
