#!/usr/bin/env bash
# Fetches data sets and pretrained weights from their public homes.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
table=$project/third_party/datasets.txt
say() { echo "download_data: $*" >&2; }
die() { say "$*"; exit 1; }
misuse() { say "$*; scripts/download_data.sh --help lists everything"; exit 2; }

rows_of() { awk -v set="$1" '$1 == set' "$table"; }
set_sizes() { awk '!/^#/ && NF { if (!mb[$1]) names[++n] = $1; mb[$1] += $4 }
                   END { for (i = 1; i <= n; ++i) print names[i], mb[names[i]] }' "$table"; }

weight_rows() {  # name, file, folder, SHA-256, MB, url and pypi of each entry, "-" where there is none
  awk '
    function field(key,   text) {
      if (!match(entry, "[{ ]" key ": *\"?[^\", }]+")) return "-"
      text = substr(entry, RSTART, RLENGTH)
      sub("^[{ ]" key ": *\"?", "", text)
      return text
    }
    function finish() {
      if (name) print name, field("file"), field("folder"), field("sha256"), field("mb"), field("url"), field("pypi")
    }
    /^#/ { next }
    /^[^ ]/ { finish(); name = $1; sub(":$", "", name); entry = ""; next }
    { entry = entry " " $0 }
    END { finish() }' "$project/models/weights.yaml"
}

usage() {
  cat <<'USAGE'
Usage: scripts/download_data.sh [--root DIR] [SET...] [weights NAME... | weights all]
Fetches data sets into DIR/<set>/ and weight files to where model.weights finds them below DIR (default: data/raw).
Without names: mnist, fashion_mnist and kmnist. What is there and whole is left alone, broken-off files are continued,
and each file is checked against third_party/datasets.txt or models/weights.yaml. Unpacking takes twice the size.
Exit codes: 0 everything is there, 1 something could not be fetched, 2 usage.
  SCOREVI_DOWNLOAD_FROM=http://HOST  fetch from a mirror: stands for scheme and host of every address; not of the
                                     one file that pip fetches from PyPI, for which PIP_INDEX_URL does
USAGE
  echo; echo "Data sets, MB:"
  set_sizes | while read -r name mb; do printf '  %-28s %5d\n' "$name" "$mb"; done
  echo; echo "Weights, MB:"
  weight_rows | while read -r name _ _ _ mb _; do printf '  %-28s %5d\n' "$name" "$mb"; done
}

whole() {  # md5:DIGITS or sha256:FIRST_DIGITS, file
  local sum
  [ -f "$2" ] || return 1
  sum=$("${1%%:*}sum" <"$2")
  [[ $sum == "${1#*:}"* ]]
}

room() {  # folder, MB that will be needed, path whose size counts as used already
  local free kept=0
  free=$(df -Pm "$1" | awk 'NR == 2 {print $4}')
  if [ -e "$3" ]; then kept=$(du -sm "$3" | cut -f 1); fi
  [ $((free + kept)) -ge "$2" ] || die "$1: $2 MB are needed, $((free + kept)) MB are free"
}

transfer() {  # url, file: continues the file; prints the reason of a failure
  local progress=--silent path=${1#*://}
  local url=${SCOREVI_DOWNLOAD_FROM:-${1%"/${path#*/}"}}/${path#*/}
  if [ -t 2 ]; then progress=--progress-bar; fi
  curl -fL $progress --retry 3 --connect-timeout 30 --speed-limit 1 --speed-time 60 -w '%{errormsg}' -C - -o "$2" "$url"
}

fetch() {  # url, checksum, file
  local reason code=0 part=$3.part
  if ! whole "$2" "$part"; then
    command -v curl >/dev/null || die "curl is missing; apt-get install curl"
    say "fetching ${1##*/}"
    reason=$(transfer "$1" "$part") || code=$?
    if [ $code -eq 33 ]; then  # the server cannot continue a file
      rm "$part"
      code=0 reason=$(transfer "$1" "$part") || code=$?
    fi
    [ $code -eq 0 ] || die "could not fetch $1 (${reason:-curl: $code}); run the script again to continue"
    whole "$2" "$part" || { rm -f "$part"; die "$1: what came is not the known file (${2%%:*}); removed"; }
  fi
  mv "$part" "$3"
}

fetch_files() {  # set of files that are kept as they are
  local gives mb checksum url file
  while read -r _ gives _ mb checksum url; do
    file=$root/$1/$gives
    if whole "$checksum" "$file"; then say "$1/$gives is there"; continue; fi
    mkdir -p "$root/$1"
    room "$root" "$mb" "$file.part"
    fetch "$url" "$checksum" "$file"
  done < <(rows_of "$1")
}

lacking() {  # set, folder: what the set is not whole without
  rows_of "$1" | while read -r _ gives _; do [ -e "$2/$gives" ] || echo "$gives"; done
}

fetch_archives() {  # set: made whole in a folder beside, then renamed
  local home=$root/$1 stage=$root/$1.partial new=$root/$1.partial/new lacks drop checksum url archive reason
  lacks=$(lacking "$1" "$home")
  if [ -z "$lacks" ]; then say "$1 is there"; return; fi
  [ ! -d "$home" ] || [ -z "$(ls -A "$home")" ] ||
    die "$home is there without ${lacks//$'\n'/, }; move it away, then run the script again"
  rm -rf "$new"
  mkdir -p "$new"
  room "$root" "$(rows_of "$1" | awk '{mb += $4} END {print int(2.2 * mb)}')" "$stage"
  while read -r _ _ drop _ checksum url; do
    archive=$stage/${url##*/}
    whole "$checksum" "$archive" || fetch "$url" "$checksum" "$archive"
    if [ "$drop" = - ]; then cp "$archive" "$new/"; continue; fi
    say "unpacking ${url##*/}"
    reason=$(tar -xf "$archive" -C "$new" --strip-components="$drop" --no-same-owner 2>&1) ||
      die "could not unpack $archive: ${reason%%$'\n'*}"
  done < <(rows_of "$1")
  lacks=$(lacking "$1" "$new")
  [ -z "$lacks" ] || die "$1: the archives hold no ${lacks//$'\n'/, }"
  mv -T "$new" "$home"
  rm -rf "$stage"
}

fetch_wheel() {  # package==version, checksum, file: takes the file of that name out of the wheel
  local stage=$3.partial reason found
  say "fetching $1 from PyPI"
  rm -rf "$stage"
  reason=$(python3 -m pip download -q --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
    -d "$stage" "$1" 2>&1) || die "pip could not fetch $1 (${reason##*$'\n'})"
  python3 -m zipfile -e "$stage"/*.whl "$stage"
  found=$(find "$stage" -name "${3##*/}")
  whole "$2" "$found" || { rm -rf "$stage"; die "$1: what came holds no known ${3##*/} (${2%%:*}); removed"; }
  mv "$found" "$3"
  rm -rf "$stage"
}

fetch_weights() {  # name
  local file folder sha256 mb url pypi target
  read -r _ file folder sha256 mb url pypi < <(weight_rows | awk -v name="$1" '$1 == name')
  target=$root/$folder/$file
  if whole "sha256:$sha256" "$target"; then say "$folder/$file is there"; return; fi
  mkdir -p "$root/$folder"
  room "$root" "$mb" "$target.part"
  if [ "$pypi" != - ]; then fetch_wheel "$pypi" "sha256:$sha256" "$target"
  else fetch "$url" "sha256:$sha256" "$target"; fi
}

root=$project/data/raw sets=() weights=() kind=set
known_sets=$(set_sizes | cut -d ' ' -f 1)
known_weights=$(weight_rows | cut -d ' ' -f 1)
listed() { [[ $'\n'$2$'\n' == *$'\n'"$1"$'\n'* ]]; }
while [ $# -gt 0 ]; do case $1 in
  --root) root=${2:-}; [ -n "$root" ] || misuse "--root needs a folder"; shift ;;
  -h|--help) usage; exit 0 ;;
  -*) misuse "unknown option $1" ;;
  weights) kind=weights ;;
  *)
    if [ $kind = set ]; then listed "$1" "$known_sets" || misuse "unknown data set $1"; sets+=("$1")
    elif [ "$1" = all ]; then mapfile -t weights <<<"$known_weights"
    else listed "$1" "$known_weights" || misuse "unknown weights $1"; weights+=("$1"); fi ;;
esac; shift; done
[ $kind = set ] || [ ${#weights[@]} -gt 0 ] || misuse "weights needs names, or all"
[ ${#sets[@]} -gt 0 ] || [ ${#weights[@]} -gt 0 ] || sets=(mnist fashion_mnist kmnist)

for name in "${sets[@]}"; do
  if [ -n "$(rows_of "$name" | awk '$3 != "-"')" ]; then fetch_archives "$name"; else fetch_files "$name"; fi
done
for name in "${weights[@]}"; do fetch_weights "$name"; done
echo "$root"
