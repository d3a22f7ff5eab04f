// Ctrl-C and SIGTERM: the first asks the program to stop at the next safe point, the second ends it
// at once.
#pragma once

namespace scorevi {

// Handles SIGINT and SIGTERM: the first sets a flag, a second one exits at once with 128 + its
// number (130 or 143). Interrupted system calls restart. Signals that were ignored stay ignored.
void install_signal_handlers();

// SIGINT or SIGTERM when one has arrived, else 0. Cheap: ask after every step.
int pending_signal() noexcept;

// Replaces the flag: 0 forgets a signal that was dealt with; tests set one.
void set_pending_signal(int signal_number) noexcept;

}  // namespace scorevi
