// The program's one log: human-readable lines on stderr, optionally copied to a file.
// Usable before init_log (level info on stderr). Thread safe.
#pragma once

#include <spdlog/logger.h>

#include <string>

namespace scorevi {

struct LogOptions {
  std::string level = "info";  // trace | debug | info | warn | error | off
  bool quiet = false;          // stderr shows warnings and errors only; a log file keeps `level`
};

// Sets the level and the stderr sink. Colour only on a terminal, never with NO_COLOR set.
// Throws Error(kUsage) for an unknown level.
void init_log(const LogOptions& options);

// Copies all further lines to `path` (appended, with date, never coloured); replaces the previous
// file. An empty path stops copying. Throws Error(kRuntime) when the file cannot be opened. Copying ends with a warning
// when the file cannot be written any more.
void set_log_file(const std::string& path);

// log().info("epoch {}", epoch)
spdlog::logger& log();

// Warns at the first use of `key`; later uses are counted only.
void warn_once(const std::string& key, const std::string& message);

// Says how often each suppressed warning came again, then forgets all keys.
void log_suppressed_warnings();

}  // namespace scorevi
