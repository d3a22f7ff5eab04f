#!/usr/bin/env bash
# Builds the project and runs every test.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/test.sh [--preset NAME] [--filter REGEX] [--label REGEX] [--jobs N]
Installs what is missing (scripts/bootstrap.sh), builds the preset (default: release; see CMakePresets.json) with its
tests in build/<preset>, runs them in parallel, shows the output of those that fail, and ends with ctest's summary.
  --filter REGEX  only the tests whose name matches
  --label REGEX   only the tests with such a label (gpu, slow)
  --jobs N        parallel jobs (default: the number of cores)
USAGE
}
preset=release jobs=$(nproc) selection=()
while [ $# -gt 0 ]; do case $1 in
  --preset) preset=${2:?--preset needs a name}; shift ;;
  --filter) selection+=(-R "${2:?--filter needs a pattern}"); shift ;;
  --label) selection+=(-L "${2:?--label needs a pattern}"); shift ;;
  --jobs) jobs=${2:?--jobs needs a number}; shift ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac; shift; done
cd "$(dirname "$0")/.."
scripts/bootstrap.sh
cmake --preset "$preset" -DSCOREVI_BUILD_TESTS=ON
cmake --build "build/$preset" -j "$jobs"
# Tests run side by side: idle threads of one must not spin on the cores of another.
export OMP_WAIT_POLICY=passive
nvidia-smi -L >/dev/null 2>&1 || selection+=(-LE gpu)
ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error "${selection[@]}"
