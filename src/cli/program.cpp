#include "scorevi/cli/program.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "failure.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/run/commands.h"
#include "scorevi/run/failure.h"

namespace scorevi::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 run-time failure, 2 usage or configuration, 3 input data or weights,\n"
    "4 numerical failure, 129/130/143 ended by SIGHUP/SIGINT/SIGTERM.\n"
    "Start with: scorevi train configs/digits_mlp_psm.yaml";

// Closed standard streams would hand their numbers to the next file that is opened; a closed pipe or a file size limit
// is an error to report, not a reason to die.
void prepare_process() {
  int descriptor = ::open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = ::open("/dev/null", O_RDWR);
  if (descriptor >= 0) ::close(descriptor);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Activations come and go in every layer. Memory that is freed stays with the process: the kernel would have to fill it
// with zeros again each time.
void keep_freed_memory() {
  constexpr int kMapFrom = 1 << 30;  // bytes of a block that gets a mapping of its own
  ::mallopt(M_MMAP_THRESHOLD, kMapFrom);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

// Whoever read our output has enough of it (`| head -1`): no failure of ours, so nothing is said; the exit code is that
// of a program that SIGPIPE ends.
bool stdout_reader_is_gone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int report_failure(const std::exception& failure, int code) {
  log().error("{}", run::failure_text(failure));
  return code;
}

int guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const Error& e) {
    return report_failure(e, exit_code(e.kind()));
  } catch (const Interrupted&) {
    log().warn("interrupted");
    return 128 + pending_signal();
  } catch (const std::exception& e) {
    return report_failure(e, 1);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  prepare_process();
  keep_freed_memory();
  CLI::App app("scorevi: score-based variational inference for Bayesian deep networks", "scorevi");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("scorevi ") + run::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  LogOptions log_options;
  Globals globals;
  app.add_option("--log-level", log_options.level, "trace, debug, info, warn, error or off")->capture_default_str();
  app.add_flag("-q,--quiet", log_options.quiet, "only warnings and errors on stderr");
  app.add_flag("--no-progress", globals.no_progress, "no progress bar");
  app.fallthrough();

  std::function<int()> command;
  add_commands(app, globals, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return guarded([&] {
    globals.no_progress = globals.no_progress || log_options.quiet;
    init_log(log_options);
    const int code = command();
    log_suppressed_warnings();
    std::cout.flush();
    if (!std::cout && stdout_reader_is_gone()) return 128 + SIGPIPE;
    if (!std::cout) throw Error(ErrorKind::kRuntime, "stdout: cannot write the result");
    return code;
  });
}

}  // namespace scorevi::cli
