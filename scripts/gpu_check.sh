#!/usr/bin/env bash
# Builds the CUDA configuration on a GPU machine and checks it on the device. Needs no network.
set -euo pipefail
usage() { cat <<'USAGE'
Usage: scripts/gpu_check.sh [--debs DIR] [--fetch-debs DIR] [--no-bench]
Builds the CUDA configuration in build/cuda against the torch 2.11.0 of the active Python (or LIBTORCH) for the GPU
of this machine, runs the tests with the label gpu, and the benchmarks.
  --debs DIR        takes the other libraries from the .deb files in DIR (unpacked below build/debs, nothing installed)
  --fetch-debs DIR  on a Debian machine with network: puts those .deb files into DIR, then stops
  --no-bench        leaves the benchmarks out
USAGE
}
debs='' bench=true
while [ $# -gt 0 ]; do case $1 in
  --debs) debs=$(realpath "${2:?--debs needs a folder}"); shift ;;
  --fetch-debs)
    mkdir -p "${2:?--fetch-debs needs a folder}" && cd "$2"
    exec apt-get download libyaml-cpp-dev libyaml-cpp0.7 libspdlog-dev libspdlog1.10 libfmt-dev libfmt9 libcli11-dev \
      nlohmann-json3-dev libssl-dev libssl3 zlib1g-dev zlib1g libjpeg62-turbo-dev libjpeg62-turbo libpng-dev libpng16-16 \
      libgif-dev libgif7 libgtest-dev libgmock-dev librapidcheck-dev libbenchmark1debian libbenchmark-dev ;;
  --no-bench) bench=false ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac; shift; done
cd "$(dirname "$0")/.."
if [ -n "$debs" ]; then
  for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" build/debs; done
  export CMAKE_PREFIX_PATH=$PWD/build/debs/usr CPATH=$PWD/build/debs/usr/include/x86_64-linux-gnu
else
  scripts/bootstrap.sh --cuda
fi
for tool in cmake ninja nvcc; do
  command -v $tool >/dev/null || [ -x /usr/local/cuda/bin/$tool ] || { echo "gpu_check: $tool is missing" >&2; exit 1; }
done
if command -v nvidia-smi >/dev/null; then nvidia-smi -L; fi

cmake --preset cuda -DSCOREVI_CUDA_ARCHITECTURES=native -DSCOREVI_BUILD_TESTS=ON -DSCOREVI_BUILD_BENCHMARKS=$bench
cmake --build build/cuda -j "$(nproc)"
build/cuda/bin/scorevi info
failed=0
ctest --test-dir build/cuda -L gpu --output-on-failure --no-tests=error || failed=1
if $bench; then
  for program in build/cuda/bin/bench_*; do
    timeout 120 "$program" || { echo "gpu_check: $program ended with exit code $?" >&2; failed=1; }
  done
fi
exit $failed
