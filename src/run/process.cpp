#include "scorevi/run/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/signals.h"

extern char** environ;

namespace scorevi::run {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPollInterval(20);

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  void close() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string key = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(added.begin(), added.end(),
                                      [&](const std::string& item) { return item.compare(0, key.size(), key) == 0; });
    if (!replaced) result.push_back(text);
  }
  return result;
}

// Runs between fork and exec: async-signal-safe calls only. Reports errno through `error_pipe`.
[[noreturn]] void become(char* const* arguments, char* const* environment, int input, int log, int error_pipe,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::signal(SIGINT, SIG_DFL);  // the pool forwards signals, whatever this process was told to ignore
  if (::getppid() == parent && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(log, STDOUT_FILENO) >= 0 &&
      ::dup2(log, STDERR_FILENO) >= 0) {
    ::execve(arguments[0], arguments, environment);
  }
  const int error_number = errno;
  [[maybe_unused]] const ssize_t written = ::write(error_pipe, &error_number, sizeof error_number);
  ::_exit(127);
}

int open_or_throw(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) throw Error(ErrorKind::kRuntime, path + ": cannot open: " + errno_text(errno));
  return descriptor;
}

}  // namespace

std::string ProcessEnd::text() const {
  if (signal == 0) return "exit code " + std::to_string(exit_code);
  return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

std::string current_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string last_lines(const std::string& path, int lines, std::int64_t from) {
  constexpr std::streamoff kTailBytes = 16384;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(std::min<std::streamoff>(from, size), size - kTailBytes));
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    std::string clean;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
        i += 2;
        while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
      } else if (line[i] == '\t' || static_cast<unsigned char>(line[i]) >= 0x20) {
        clean += line[i];
      }
    }
    if (!clean.empty()) found.push_back(clean);
  }
  std::string result;
  const std::size_t first = found.size() - std::min<std::size_t>(found.size(), lines);
  for (std::size_t i = first; i < found.size(); ++i) result += (i > first ? "\n" : "") + found[i];
  return result;
}

pid_t ProcessPool::start(const ProcessOptions& options) {
  const Descriptor input(open_or_throw("/dev/null", O_RDONLY));
  const Descriptor log(open_or_throw(options.log_path, O_WRONLY | O_CREAT | O_APPEND));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::kRuntime, "cannot start a program: pipe: " + errno_text(errno));
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);

  const std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argument_pointers = pointers(options.arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Error(ErrorKind::kRuntime, "cannot start a program: " + errno_text(errno));
  if (pid == 0)
    become(argument_pointers.data(), environment_pointers.data(), input.get(), log.get(), write_end.get(), parent);
  write_end.close();

  // The pipe closes without a byte when exec succeeds.
  int error_number = 0;
  ssize_t got = 0;
  do {
    got = ::read(read_end.get(), &error_number, sizeof error_number);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    ::waitpid(pid, nullptr, 0);
    throw Error(ErrorKind::kRuntime, options.arguments[0] + ": cannot start: " + errno_text(error_number));
  }
  children_.push_back({pid, Clock::now()});
  return pid;
}

std::optional<ProcessEnd> ProcessPool::reap() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    int status = 0;
    if (::waitpid(child->pid, &status, WNOHANG) != child->pid) continue;
    ProcessEnd end;
    end.pid = child->pid;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFSIGNALED(status) ? 128 + end.signal : WEXITSTATUS(status);
    end.seconds = std::chrono::duration<double>(Clock::now() - child->started).count();
    children_.erase(child);
    return end;
  }
  return std::nullopt;
}

std::optional<ProcessEnd> ProcessPool::wait_any(double timeout_s, bool stop_on_signal) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
  while (true) {
    if (auto end = reap()) return end;
    if (children_.empty() || Clock::now() >= deadline) return std::nullopt;
    if (stop_on_signal && pending_signal() != 0) return std::nullopt;
    std::this_thread::sleep_for(kPollInterval);
  }
}

void ProcessPool::signal_all(int signal_number) const {
  for (const Child& child : children_) ::kill(child.pid, signal_number);
}

ProcessPool::~ProcessPool() {
  signal_all(SIGKILL);
  for (const Child& child : children_) ::waitpid(child.pid, nullptr, 0);
}

}  // namespace scorevi::run
