#!/usr/bin/env bash
# scripts/bootstrap with a package system of three stub programs: what it installs and what it asks for.
set -uo pipefail
script=$1/scripts/bootstrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
contains() { grep -qF -- "$2" "$1"; }
lacks() { ! contains "$@"; }
stub() { printf '#!/bin/bash\n%s\n' "$2" > "$work/bin/$1"; chmod +x "$work/bin/$1"; }
toolkit() {  # toolkit FOLDER VERSION [no-nvrtc]
  mkdir -p "$work/$1/include" "$work/$1/lib64"
  printf '#define CUDA_VERSION %s\n' "$2" > "$work/$1/include/cuda.h"
  [ $# -gt 2 ] || touch "$work/$1/lib64/libnvrtc.so.12"
}
run() {
  : > "$work/apt"
  env -i PATH="$work/bin:/usr/bin:/bin" HOME="$work" EVO_CUDA_FOLDERS="${folders:-}" CUDA_HOME="${home:-}" \
    "$script" "$@" > "$work/out" 2> "$work/err"
  status=$?
}

mkdir "$work/bin"
touch "$work/installed"
stub dpkg-query 'shift 2; for p in "$@"; do grep -qx "$p" '"$work"'/installed && echo "ii  $p"; done; exit 1'
stub apt-get 'echo "apt-get $*" >> '"$work"'/apt
case "$*" in *install*) [ ! -e '"$work"'/apt-fails ] || { echo "E: no space"; exit 100; };; esac'
stub id 'echo ${FAKE_UID:-1000}'
stub sudo 'exit 1'
toolkit new 12040
toolkit old 12020
toolkit bare 13000 no-nvrtc
home=$work/new

run --list
check 'packages are named' contains "$work/out" libtbb-dev
check 'the tests'\'' are left out' lacks "$work/out" libgtest-dev
cp "$work/out" "$work/all"
run --list --tests
check 'unless asked for' contains "$work/out" libgtest-dev

run
check 'without root it exits 4' [ $status = 4 ]
check 'and says which command to run' contains "$work/err" 'sudo apt-get update && sudo apt-get install'
check 'with every package' contains "$work/err" librandom123-dev
check 'and calls no apt-get' [ ! -s "$work/apt" ]

grep -v libtbb-dev "$work/all" > "$work/installed"
run
check 'only what is missing is named' lacks "$work/err" librandom123-dev
stub sudo '[ "$1" = -n ] && shift; [ "$1" = true ] && exit 0; "$@"'
run
check 'with a password-less sudo it installs' contains "$work/apt" 'install -y --no-install-recommends --no-remove libtbb-dev'
check 'and is done' [ $status = 0 ]
touch "$work/apt-fails"
run
check 'an apt that fails exits 4' [ $status = 4 ]
check 'with its words' contains "$work/err" 'no space'
rm "$work/apt-fails"
stub id 'echo 0'
stub sudo 'exit 1'
run
check 'as root it needs no sudo' contains "$work/apt" 'install -y'

cp "$work/all" "$work/installed"
run
check 'with everything there it does nothing' [ $status = 0 -a ! -s "$work/apt" -a ! -s "$work/out" -a ! -s "$work/err" ]
run --cuda-root
check 'and can tell the toolkit' [ "$(cat "$work/out")" = "$work/new" ]

home= run
check 'without a toolkit it exits 4' [ $status = 4 ]
check 'and says how to get one' contains "$work/err" 'cuda-keyring'
home=$work/old run
check 'an old toolkit is refused by version' contains "$work/err" 'is version 12.2'
home=$work/old folders=$work/new run --cuda-root
check 'a newer one elsewhere is taken' [ "$(cat "$work/out")" = "$work/new" ]
home=$work/bare run
check 'a toolkit without NVRTC is refused' contains "$work/err" 'no NVRTC'
run --nonsense
check 'an unknown option exits 2' [ $status = 2 ]

[ $failures = 0 ] || { printf '%d failed\n' $failures; exit 1; }
