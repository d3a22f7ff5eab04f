// The command line: subcommands, help, and the one place where errors become exit codes.
#pragma once

namespace scorevi::cli {

// 0 ok · 1 run-time failure · 2 usage or configuration · 3 input data or weights · 4 numerical failure · 129/130/143
// signals · 141 nobody reads stdout any more
int run_program(int argc, const char* const* argv);

}  // namespace scorevi::cli
