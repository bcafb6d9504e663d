#!/usr/bin/env bash
# scripts/terms on a tree of a few files: what it counts, what it allows, what it refuses.
set -uo pipefail
source_dir=$1
command -v git > /dev/null || { printf 'no git: skipped\n'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {  # check "what" command...: the command must succeed
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
refuses() { [ $status = 1 ] && grep -qF -- "$1" "$work/err"; }
terms() {
  python3 "$source_dir/scripts/terms" --root "$work/tree" "$@" > "$work/out" 2> "$work/err"
  status=$?
}
tree() {  # tree FILE TEXT: a tree of this file
  rm -rf "$work/tree"
  mkdir -p "$work/tree/$(dirname "$1")"
  git -C "$work/tree" init -q
  printf '%s\n' "$2" > "$work/tree/$1"
  git -C "$work/tree" add -A
  terms --check
}

tree engine/a.cpp 'int correct = 0;  // all is correct'
check 'a tree without private names passes' [ $status = 0 ]
tree engine/a.cpp '// A trial that is right.'
check 'right for correct is refused, with file and line' refuses 'engine/a.cpp:1: right (should be: correct)'
tree engine/a.cpp 'out["right"] = count;'
check 'a JSON key stays' [ $status = 0 ]
tree engine/a.cpp '// left and right of the operator'
check 'a direction is none' [ $status = 0 ]
tree engine/a.cpp 'settings.window = 4;'
check 'window is refused in the engine' refuses 'max_in_flight'
tree evaluators/devices/virtual/a.cpp 'matrix.window = {};'
check 'and is a word of the virtual device' [ $status = 0 ]
tree engine/a.cpp '{"money", progress.money},'
check 'a key allows no identifier beside it' refuses 'engine/a.cpp:1: money'
tree engine/a.cpp 'auto paired = ladder.compare(a, b);'
check 'paired timing is not called compare' refuses 'time_paired'
tree engine/a.cpp 'make_variant(entry.kernel, space)'
check 'a template is not called kernel' refuses 'kernel_template'
tree kernels/a.cpp '// right'
check 'kernels are not looked at' [ $status = 0 ]

terms --lines right
check 'the lines of a term can be listed' [ $status = 0 ]
terms --lines wrong
check 'another term is an error' [ $status = 2 ]
exit "$((failures > 0))"
