#include "scorevi/core/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/terminal.h"

namespace scorevi {
namespace {

struct Suppressed {
  std::string message;
  long again = 0;
};

// The message of a line without control characters but line ends and tabs: it may quote names from files.
class PrintableMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = printable({message.payload.data(), message.payload.size()}, "\n\t");
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<PrintableMessage>(); }
};

// `pattern` of spdlog with %* for the message.
void set_line(spdlog::sinks::sink& sink, const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern(pattern);
  sink.set_formatter(std::move(formatter));
}

// The sinks are fixed at the start; changing the log file swaps the file sink under a lock that
// logging threads share (dist_sink would lock every line twice).
class SwitchableFileSink final : public spdlog::sinks::sink {
 public:
  void open(const std::string& path) {
    std::shared_ptr<spdlog::sinks::sink> next;
    if (!path.empty()) {
      try {
        next = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
      } catch (const spdlog::spdlog_ex& error) {
        throw Error(ErrorKind::kRuntime,
                    "log file: cannot be opened, got \"" + path + "\", expected a writable path: " + error.what());
      }
      set_line(*next, "%Y-%m-%d %H:%M:%S.%e %l %*");
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    file_ = std::move(next);
  }

  void log(const spdlog::details::log_msg& message) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_) file_->log(message);
  }
  void flush() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_) file_->flush();
  }
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  std::mutex mutex_;
  std::shared_ptr<spdlog::sinks::sink> file_;
};

class State {
 public:
  State()
      : terminal_(std::make_shared<spdlog::sinks::stderr_color_sink_mt>()),
        file_(std::make_shared<SwitchableFileSink>()),
        logger_("scorevi", {terminal_, file_}) {
    terminal_->set_color_mode(colour_allowed(STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never);
    set_line(*terminal_, "%H:%M:%S %^%l%$ %*");
    logger_.flush_on(spdlog::level::info);
    // Of the two sinks only the file's fails aloud; the work goes on without it.
    logger_.set_error_handler([this](const std::string& what) {
      file_->open("");
      logger_.warn("log file: cannot be written any more, further lines are on stderr only: {}", what);
    });
  }

  void configure(spdlog::level::level_enum level, bool quiet) {
    logger_.set_level(level);
    terminal_->set_level(quiet ? std::max(level, spdlog::level::warn) : level);
  }

  void open_file(const std::string& path) { file_->open(path); }

  spdlog::logger& logger() { return logger_; }

  bool first_use(const std::string& key, const std::string& message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [entry, inserted] = warned_.try_emplace(key, Suppressed{message});
    if (!inserted) ++entry->second.again;
    return inserted;
  }

  std::map<std::string, Suppressed> take_warned() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(warned_, {});
  }

 private:
  std::shared_ptr<spdlog::sinks::stderr_color_sink_mt> terminal_;
  std::shared_ptr<SwitchableFileSink> file_;
  spdlog::logger logger_;
  std::mutex mutex_;
  std::map<std::string, Suppressed> warned_;
};

State& state() {
  static State instance;
  return instance;
}

}  // namespace

void init_log(const LogOptions& options) {
  static const std::vector<std::string> kLevels = {"trace", "debug", "info", "warn", "error", "off"};
  if (std::find(kLevels.begin(), kLevels.end(), options.level) == kLevels.end())
    throw Error(ErrorKind::kUsage, "log level: unknown name, got \"" + options.level + "\", expected one of " +
                                       join(kLevels) + did_you_mean(options.level, kLevels));
  state().configure(spdlog::level::from_str(options.level), options.quiet);
}

void set_log_file(const std::string& path) { state().open_file(path); }

spdlog::logger& log() { return state().logger(); }

void warn_once(const std::string& key, const std::string& message) {
  if (state().first_use(key, message)) log().warn("{}", message);
}

void log_suppressed_warnings() {
  for (const auto& [key, warning] : state().take_warned())
    if (warning.again > 0) log().warn("{} more times: {}", warning.again, warning.message);
}

}  // namespace scorevi
