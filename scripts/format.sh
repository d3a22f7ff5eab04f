#!/usr/bin/env bash
# Brings the C++ and CUDA sources into the project's format.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/format.sh [--check]
Rewrites every source file with clang-format (.clang-format). With --check, changes nothing, names the files
that differ, and ends with exit code 1 if there are any.
USAGE
}
mode=(-i)
case ${1:-} in
  '') ;;
  --check) mode=(--dry-run --Werror) ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || { echo "format: clang-format is missing; apt-get install clang-format" >&2; exit 1; }
find include src models tests -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 -r -n 16 -P "$(nproc)" clang-format "${mode[@]}"
