// Child programs: started with an argument vector, their output in a file, waited for in any order.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace scorevi::run {

struct ProcessOptions {
  std::vector<std::string> arguments;    // [0] is the program: a path, not looked up in PATH
  std::vector<std::string> environment;  // "KEY=VALUE", added to ours
  std::string log_path;                  // stdout and stderr are appended here
};

// How a child ended: by exit(exit_code), or by a signal (then exit_code is 128 + signal).
struct ProcessEnd {
  pid_t pid = 0;
  int exit_code = 0;
  int signal = 0;
  double seconds = 0;

  bool ok() const { return exit_code == 0; }
  std::string text() const;  // "exit code 4", "signal 9 (Killed)"
};

// The file of the running program, to start it again with other arguments.
std::string current_program();

// The last `lines` lines of a text file beyond its first `from` bytes, "" when it cannot be read; escape sequences and
// other control characters are removed.
std::string last_lines(const std::string& path, int lines, std::int64_t from = 0);

// A set of running children. Each has a process group of its own, so that Ctrl-C on the terminal
// reaches it only through signal_all, once. A child gets SIGTERM when we die.
class ProcessPool {
 public:
  ProcessPool() = default;
  // Kills and reaps what still runs.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  // Error(kRuntime) when the program or the log file cannot be opened.
  pid_t start(const ProcessOptions& options);

  // The next child that has ended; nothing when none ends within `timeout_s` or none runs. Returns
  // early, without a result, when a signal is pending (core/signals.h) and `stop_on_signal`.
  std::optional<ProcessEnd> wait_any(double timeout_s, bool stop_on_signal = false);

  void signal_all(int signal_number) const;
  std::size_t running() const { return children_.size(); }

 private:
  struct Child {
    pid_t pid;
    std::chrono::steady_clock::time_point started;
  };
  std::optional<ProcessEnd> reap();

  std::vector<Child> children_;
};

}  // namespace scorevi::run
