#!/usr/bin/env bash
# Runs clang-tidy over the sources.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/tidy.sh [FILE-OR-FOLDER...]
Runs clang-tidy (.clang-tidy) over the .cpp files given (default: src and models), with the compile commands
of the tidy preset, and ends with a non-zero exit code if it has anything to say.
USAGE
}
case ${1:-} in -h|--help) usage; exit 0 ;; esac
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "tidy: clang-tidy is missing; apt-get install clang-tidy" >&2; exit 1; }
[ $# -gt 0 ] || set -- src models
cmake --preset tidy >/dev/null
find "$@" -type f -name '*.cpp' -not -name pch.cpp -print0 |
  xargs -0 -r -n 1 -P "$(nproc)" clang-tidy --quiet -p build/tidy
