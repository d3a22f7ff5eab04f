#include "scorevi/core/signals.h"

#include <signal.h>
#include <unistd.h>

namespace scorevi {
namespace {

volatile sig_atomic_t pending = 0;

// Only async-signal-safe calls here.
extern "C" void on_signal(int signal_number) {
  if (pending != 0 && signal_number == SIGHUP) return;
  if (pending != 0) {
    constexpr char kText[] = "\nstopped at once\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
    ::_exit(128 + signal_number);
  }
  pending = signal_number;
}

// A signal that the parent had ignored stays so, as nohup and shells with background jobs ask.
void handle(int signal_number) {
  struct sigaction before {};
  ::sigaction(signal_number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal_number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT);
  handle(SIGTERM);
  handle(SIGHUP);
}

int pending_signal() noexcept { return pending; }

void set_pending_signal(int signal_number) noexcept { pending = signal_number; }

void stop_if_signalled() {
  if (pending != 0) throw Interrupted();
}

}  // namespace scorevi
