#!/bin/sh
# Compiles cuda/*.cu to the checked-in fixtures/*.ptx. Run it after a change to a .cu file; needs nvcc.
# Usage: tests/ptx/make_fixtures.sh [sm_89]
set -eu
cd "$(dirname "$0")"
arch=${1:-sm_89}
for source in cuda/*.cu; do
  name=$(basename "$source" .cu)
  "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" -std=c++17 -arch="$arch" -ptx -lineinfo "$source" -o "fixtures/$name.ptx"
  # Paths of the machine it ran on say nothing.
  sed -i -E 's|(\.file[[:space:]]+[0-9]+ )"[^"]*/([^"/]+)"|\1"\2"|' "fixtures/$name.ptx"
done
