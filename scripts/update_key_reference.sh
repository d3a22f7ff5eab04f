#!/usr/bin/env bash
# Writes configs/README.md from the schema that also checks configurations.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/update_key_reference.sh [PROGRAM]
Writes configs/README.md anew: its introduction (configs/README.head.md) and the key reference that
`PROGRAM list keys-markdown` prints. PROGRAM defaults to build/release/bin/scorevi.
USAGE
}
case ${1:-} in -h|--help) usage; exit 0 ;; esac
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/scorevi}
reference=$("$program" list keys-markdown)
{ cat configs/README.head.md; echo; printf '%s\n' "$reference"; } > configs/README.md
