#!/usr/bin/env bash
# Installs what the build needs and is not there yet. A second run takes a second.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/bootstrap.sh [--cuda] [--wheels DIR] [--no-apt]
Installs the Debian packages that are missing (as root or through sudo) and LibTorch 2.11.0, unpacked from
hash-checked wheels into ${SCOREVI_DEPS:-~/.cache/scorevi}. Asks no registry where everything is there.
  --cuda        also the CUDA libraries that LibTorch loads (2 GB to fetch, 3 GB on disk)
  --wheels DIR  take the wheels from DIR instead of the package index
  --no-apt      leave the system packages alone
USAGE
}
say() { echo "bootstrap: $*" >&2; }
die() { say "$*"; exit 1; }
with_cuda=false use_apt=true pip_options=(-q --no-deps --only-binary=:all: --no-cache-dir)
while [ $# -gt 0 ]; do case $1 in
  --cuda) with_cuda=true ;;
  --wheels) pip_options+=(--no-index --find-links "$(realpath "${2:?--wheels needs a folder}")"); shift ;;
  --no-apt) use_apt=false ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac; shift; done
# shellcheck source=third_party/versions.env
. "$(dirname "$0")/../third_party/versions.env"
[ -t 2 ] || pip_options+=(--progress-bar off)

install_packages() {
  local package missing=() sudo=''
  command -v apt-get >/dev/null || die "no apt-get here; install $SCOREVI_DEBIAN_PACKAGES by hand, then run with --no-apt"
  for package in $SCOREVI_DEBIAN_PACKAGES; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then sudo=$(command -v sudo) || die "needs root or sudo to install: ${missing[*]}"; fi
  say "installing Debian packages: ${missing[*]}"
  $sudo apt-get -qq update || say "apt-get update failed; going on with the package lists that are there"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]} (the lines above say why)"
}

fetch_wheel() {  # name version sha256 folder: leaves the path of the checked file in $wheel
  local python=python3
  $python -m pip --version >/dev/null 2>&1 || python=/usr/bin/python3
  $python -m pip --version >/dev/null 2>&1 || die "no Python with pip here; install python3-pip"
  say "fetching $1 $2"
  $python -m pip download "${pip_options[@]}" --python-version "$SCOREVI_WHEEL_PYTHON" -d "$4" "$1==$2" >&2 ||
    die "pip could not fetch $1==$2 (the lines above say why)"
  wheel=$(echo "$4/${1//-/_}-$2"*.whl)
  echo "$3  $wheel" | sha256sum --check --quiet - >&2 || die "$1 $2: the file fetched is not the one pinned in third_party/versions.env"
}

install_wheels() {  # the folder is replaced as a whole at the end: an interrupted run leaves it as it was
  local deps=${SCOREVI_DEPS:-$HOME/.cache/scorevi} list=$SCOREVI_WHEELS_CPU need_gb=3 name version hash absent=''
  local target=$deps/torch-$SCOREVI_TORCH_VERSION
  if $with_cuda; then list+=$SCOREVI_WHEELS_CUDA need_gb=5; fi
  while read -r name version hash; do
    [ -z "$name" ] || [ -d "$target/${name//-/_}-$version.dist-info" ] || absent+="$name $version $hash"$'\n'
  done <<<"$list"
  [ -n "$absent" ] || return 0
  mkdir -p "$deps"
  [ "$(df -Pk "$deps" | awk 'NR == 2 {print $4}')" -gt "${need_gb}000000" ] || die "$deps: less than $need_gb GB free"
  stage=$(mktemp -d "$deps/stage.XXXXXX")
  trap 'rm -rf "$stage"' EXIT
  if [ -d "$target" ]; then cp -al "$target" "$stage/new"; fi
  while read -r name version hash; do
    [ -n "$name" ] || continue
    fetch_wheel "$name" "$version" "$hash" "$stage"
    python3 -m zipfile -e "$wheel" "$stage/new"
    rm "$wheel"
  done <<<"$absent"
  if [ -d "$target" ]; then mv "$target" "$stage/old"; fi
  mv "$stage/new" "$target"
  say "LibTorch $SCOREVI_TORCH_VERSION is at $target"
}

if $use_apt; then install_packages; fi
python_torch=$(python3 -c 'import importlib.metadata as m; print(m.version("torch"))' 2>/dev/null || true)
if [ -n "${LIBTORCH:-}" ]; then say "using LIBTORCH=$LIBTORCH"
elif [ "${python_torch%%+*}" = "$SCOREVI_TORCH_VERSION" ]; then say "using the torch of the active Python"
else install_wheels; fi
say "everything is there"
