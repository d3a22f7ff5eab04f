#!/usr/bin/env bash
# Writes the key references of configs/ from the schemas that also check configurations.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/update_key_reference.sh [PROGRAM]
Writes configs/README.md and configs/targets/README.md anew: their introductions (README.head.md beside them) and the
key references that `PROGRAM list keys-markdown` and `PROGRAM bench --keys` print. PROGRAM defaults to
build/release/bin/scorevi.
USAGE
}
case ${1:-} in -h|--help) usage; exit 0 ;; esac
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/scorevi}
write() {  # FOLDER REFERENCE
  { cat "$1/README.head.md"; echo; printf '%s\n' "$2"; } > "$1/README.md"
}
write configs "$("$program" list keys-markdown)"
write configs/targets "$("$program" bench --keys)"
