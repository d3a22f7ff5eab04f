// Every subcommand with its options.
#pragma once

#include <functional>

#include <CLI/App.hpp>

namespace scorevi::cli {

struct Globals {
  bool no_progress = false;
};

// Adds the subcommands to `app`; the chosen one sets `command`.
void add_commands(CLI::App& app, const Globals& globals, std::function<int()>& command);

}  // namespace scorevi::cli
