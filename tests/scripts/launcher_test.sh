#!/usr/bin/env bash
# ./evo on a tree of one source file: when it builds, what it passes on, how it fails.
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

check() {  # check "what" command...: the command must succeed
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
contains() { grep -qF -- "$2" "$1"; }
built() { contains "$work/err" 'building in'; }
not_built() { ! built; }
launch() {  # runs evo with stdout and stderr in files, and its exit status in $status
  "${launcher:-$tree/evo}" "$@" > "$work/out" 2> "$work/err"
  status=$?
}

mkdir -p "$tree/scripts" "$tree/cli" "$tree/cmake" "$tree/anything" "$tree/tests"
cp "$source_dir/evo" "$tree/evo"
printf '#!/bin/sh\necho called >> %s/bootstrap-calls\n[ ! -e %s/refuse ] || exit 4\necho /opt/toolkit\n' "$work" "$work" > "$tree/scripts/bootstrap"
chmod +x "$tree/scripts/bootstrap"
cat > "$tree/CMakePresets.json" <<'JSON'
{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]}
JSON
cat > "$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES CXX)
file(WRITE "${CMAKE_BINARY_DIR}/toolkit" "$ENV{CUDA_HOME}")
add_subdirectory(anything)
add_subdirectory(cli)
CMAKE
touch "$tree/anything/CMakeLists.txt" "$tree/tests/CMakeLists.txt"
cat > "$tree/cli/CMakeLists.txt" <<'CMAKE'
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
add_executable(evo ${sources})
CMAKE
program() { printf '#include <cstdio>\nint main(int n, char** v) { for (int i = 1; i < n; ++i) std::printf("%s<%%s>", v[i]); return %s; }\n' "$1" "$2"; }
program one 7 > "$tree/cli/main.cpp"

launch 'a b' '' c
check 'the first call builds' built
check 'arguments arrive as given, and nothing else is on stdout' [ "$(cat "$work/out")" = 'one<a b>one<>one<c>' ]
check 'the exit status is the program'\''s' [ $status = 7 ]
check 'the toolkit that bootstrap found is used' [ "$(cat "$tree/build/release/toolkit")" = /opt/toolkit ]

launch x
check 'the second call does not build' not_built
check 'and does not bootstrap' [ "$(wc -l < "$work/bootstrap-calls")" = 1 ]
check 'and says nothing' [ ! -s "$work/err" ]

sleep 0.05
program two 0 > "$tree/cli/main.cpp"
launch x
check 'an edited source is built' [ "$(cat "$work/out")" = 'two<x>' ]

sleep 0.05
printf 'int unused() { return 1; }\n' > "$tree/cli/extra.cpp"
launch x
check 'a new source is built' built
rm "$tree/cli/extra.cpp"
launch x
check 'a removed source is built' built
for change in anything/value.hpp anything/below/table.txt cmake/Tool.cmake; do
  sleep 0.05
  mkdir -p "$(dirname "$tree/$change")"
  touch "$tree/$change"
  launch x
  check "a new $change is built, whatever its folder is called" built
  sleep 0.05
  printf '\n' > "$tree/$change"
  launch x
  check "so is an edited $change" built
done
launch x
check 'and nothing twice' not_built
touch "$tree/tests/some_test.cpp"
launch x
check 'tests are not' not_built
printf 'notes\n' > "$tree/notes.md"
mkdir -p "$tree/exported"
touch "$tree/exported/CMakeLists.txt"
launch x
check 'other files are not' not_built

mkdir "$work/elsewhere"
ln -s "$tree/evo" "$work/elsewhere/link"
cd "$work/elsewhere" || exit 1
launcher=./link launch x
check 'through a symbolic link, from another folder' [ "$(cat "$work/out")" = 'two<x>' ]

sleep 0.05
printf 'int main() { return missing_name; }\n' > "$tree/cli/main.cpp"
launch x
check 'a source that does not compile exits 1' [ $status = 1 ]
check 'with the compiler'\''s words on stderr' contains "$work/err" missing_name
check 'and nothing on stdout' [ ! -s "$work/out" ]
launch x
check 'a failed build is tried again' [ $status = 1 ]

touch "$work/refuse"
launch x
check 'what bootstrap refuses is the exit status' [ $status = 4 ]
rm "$work/refuse"

program three 0 > "$tree/cli/main.cpp"
"$tree/evo" p > "$work/p" 2> /dev/null &
"$tree/evo" q > "$work/q" 2> /dev/null &
wait
check 'two at once build once and both run' [ "$(cat "$work/p" "$work/q")" = 'three<p>three<q>' ]

# The real tree: each folder that a build of it read is one that CMakeLists.txt adds, by which ./evo knows it.
if [ -n "${2:-}" ]; then
  folders=$(cd "$2" && ninja -t deps 2> /dev/null | sed -n "s#^ *\(\.\./\.\./\|$source_dir/\)\([^/]*\)/.*#\2#p" | sort -u | grep -v '^build')
  check 'the build read sources of this tree' grep -qx cli <<< "$folders"
  for folder in $folders; do
    check "./evo looks at $folder" grep -q "add_subdirectory($folder)" "$source_dir/CMakeLists.txt"
  done
fi

[ $failures = 0 ] || { printf '%d failed\n' $failures; exit 1; }
