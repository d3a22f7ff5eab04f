// Ctrl-C, SIGTERM and a terminal that is closed: the first signal asks the program to stop at the next safe point, the
// second ends it at once.
#pragma once

#include <exception>

namespace scorevi {

// Handles SIGINT, SIGTERM and SIGHUP: the first sets a flag, a second SIGINT or SIGTERM exits at once with 128 + its
// number (130 or 143); a closed terminal may send several SIGHUP. Interrupted system calls restart. Signals that were
// ignored (nohup) stay ignored.
void install_signal_handlers();

// The signal when one has arrived, else 0. Cheap: ask after every step.
int pending_signal() noexcept;

// Replaces the flag: 0 forgets a signal that was dealt with; tests set one.
void set_pending_signal(int signal_number) noexcept;

// Work was given up because of a signal; nothing is wrong.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted by a signal"; }
};

// For loops that have nothing to save: throws Interrupted when a signal is pending.
void stop_if_signalled();

}  // namespace scorevi
