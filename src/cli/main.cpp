#include "scorevi/cli/program.h"

int main(int argc, char** argv) { return scorevi::cli::run_program(argc, argv); }
