#!/usr/bin/env bash
# Fetches MNIST, Fashion-MNIST and KMNIST from their public homes.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/download_data.sh [--root DIR] [mnist] [fashion_mnist] [kmnist]
Fetches the named data sets (default: all three) into DIR/<name>/ (default: data/raw). Files that are there and
whole are left alone, broken-off ones are continued, and each is checked against third_party/datasets.sha256.
USAGE
}
project=$(cd "$(dirname "$0")/.." && pwd)
root=$project/data/raw names=()
while [ $# -gt 0 ]; do case $1 in
  --root) root=${2:?--root needs a folder}; shift ;;
  -h|--help) usage; exit 0 ;;
  mnist|fashion_mnist|kmnist) names+=("$1") ;;
  *) usage >&2; exit 2 ;;
esac; shift; done
[ ${#names[@]} -gt 0 ] || names=(mnist fashion_mnist kmnist)

home_of() {
  case $1 in
    mnist) echo https://ossci-datasets.s3.amazonaws.com/mnist ;;
    fashion_mnist) echo http://fashion-mnist.s3-website.eu-central-1.amazonaws.com ;;
    kmnist) echo http://codh.rois.ac.jp/kmnist/dataset/kmnist ;;
  esac
}

for name in "${names[@]}"; do
  mkdir -p "$root/$name"
  while read -r hash path; do
    file=$root/$path
    whole() { echo "$hash  $1" | sha256sum --check --status - 2>/dev/null; }
    if whole "$file"; then echo "download_data: $path is there" >&2; continue; fi
    command -v curl >/dev/null || { echo "download_data: curl is missing; apt-get install curl" >&2; exit 1; }
    echo "download_data: fetching $path" >&2
    curl -fsSL --retry 3 -C - -o "$file.part" "$(home_of "$name")/${path#*/}" ||
      { echo "download_data: could not fetch $path; run the script again to continue" >&2; exit 1; }
    whole "$file.part" ||
      { rm "$file.part"; echo "download_data: $path: what came is not the known file (SHA-256); removed" >&2; exit 1; }
    mv "$file.part" "$file"
  done < <(grep " $name/" "$project/third_party/datasets.sha256")
done
echo "$root"
