#!/usr/bin/env bash
# From a fresh clone to a trained Bayesian network.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/quickstart.sh [-- SWEEP_OPTION...]
Installs what is missing, builds the program, trains a Bayesian network on the bundled handwritten digits by proximal
score matching, by ADVI and by MAP, prints the table of results, and names the HTML report. What follows -- goes to `scorevi sweep`.
USAGE
}
case ${1:-} in
  '') ;;
  --) shift ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
echo "quickstart: brings Debian packages and LibTorch (0.5 GB to fetch, 2 GB on disk) where they are missing, builds (about 10" \
  "minutes on two cores, less on more), and trains for seconds" >&2
scripts/bootstrap.sh
cmake --preset release >&2
cmake --build build/release --target scorevi -j "$(nproc)" >&2
build/release/bin/scorevi sweep configs/sweeps/quickstart.yaml "$@"
echo "next: build/release/bin/scorevi train configs/csv_template.yaml -s data.path=FILE -s data.target=COLUMN (your own table)," \
  "or README.md" >&2
