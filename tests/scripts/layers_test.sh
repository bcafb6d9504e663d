#!/usr/bin/env bash
# scripts/layers on trees of a few files: what it draws, and what it refuses.
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {  # check "what" command...: the command must succeed
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
refuses() { [ $status = 1 ] && grep -qF -- "$1" "$work/err"; }
layers() {
  python3 "$source_dir/scripts/layers" --root "$work/tree" --rules "$work/rules" "$@" > "$work/out" 2> "$work/err"
  status=$?
}
fresh() {  # model <- engine <- cli
  rm -rf "$work/tree"
  mkdir -p "$work/tree"/{model,engine/parts,cli}
  touch "$work/tree/model/a.hpp"
  printf '#include <map>\n#include "model/a.hpp"\n' > "$work/tree/engine/parts/b.hpp"
  printf '\n#  include "parts/b.hpp"\n' > "$work/tree/engine/b.cpp"
  printf '#include "engine/parts/b.hpp"\n' > "$work/tree/cli/c.cpp"
}
rules='layer model:
layer engine: model   # the value types
layer cli: * -tests
layer tests: *'
printf '%s\n' "$rules" > "$work/rules"

fresh
layers
check 'a sound tree passes' [ $status = 0 ]
check 'its floors are drawn' grep -qE '^ +2 +cli +engine$' "$work/out"
check 'and what includes nothing stands on the ground' grep -qE '^ +0 +model +-$' "$work/out"

printf '\n#include "engine/parts/b.hpp"\n' > "$work/tree/model/a.cpp"
layers
check 'an arrow back is refused at its line' refuses 'model/a.cpp:2: model may not include engine'
check 'and as a circle, with both includes' refuses 'engine/parts/b.hpp:2: engine -> model is part of a circle'

fresh
mkdir "$work/tree/tests" && touch "$work/tree/tests/t.hpp"
printf '#include "tests/t.hpp"\n' > "$work/tree/cli/d.cpp"
layers
check 'what "*" leaves out is refused' refuses 'cli/d.cpp:1: cli may not include tests'

fresh
mkdir "$work/tree/new" && touch "$work/tree/new/n.cpp"
layers
check 'a folder that no rule names is refused' refuses 'new/n.cpp:1: belongs to no layer'

fresh
printf 'layer model: engine\nlayer engine: model\nlayer cli: *\n' > "$work/rules"
layers
check 'rules with a circle are refused' refuses 'the rules allow a circle: engine -> model -> engine'
printf 'layer model: modle\n' > "$work/rules"
layers
check 'so is a layer that is none' refuses 'modle, which is no layer'
printf 'layr model:\n' > "$work/rules"
layers
check 'and a line that says nothing' refuses 'rules:1: neither'

words='words attention on: seq head_dim
  outside cli'
printf '%s\n%s\n' "$rules" "$words" > "$work/rules"
cat > "$work/tree/engine/words.cpp" <<'CPP'
// seq in a comment, "seq" too
/* head_dim */ int sequence = 1'000, dim = 0;
const char* good = "sequences /* seq */"[0] == 's' ? "" : "head";
CPP
printf '#include "cli/seq.hpp"\nint seq = 1;\n' > "$work/tree/cli/w.cpp"
touch "$work/tree/cli/seq.hpp"
layers
check 'a word in a string is refused at its line' refuses 'engine/words.cpp:3: seq in "sequences /* seq */"'
check 'that alone: no comment, no longer word, no folder that may' grep -q ', 1 wrong$' "$work/out"
printf 'int seqLen, my_head_dim;\nauto raw = R"x(\n " seq)x";\n#include "seq.hpp"\n' > "$work/tree/engine/words.cpp"
layers
check 'words in identifiers' refuses 'engine/words.cpp:1: head_dim in my_head_dim'
check 'in capitals' refuses 'engine/words.cpp:1: seq in seqLen'
check 'in raw strings; names of headers are none' grep -q ', 3 wrong$' "$work/out"
printf '%s\n%s\n  but my_head_dim seqLen\n' "$rules" "$words" > "$work/rules"
layers
check 'names of a library may have them, strings not' refuses 'engine/words.cpp:2: seq in R"x('
check 'and no other name' grep -q ', 1 wrong$' "$work/out"
printf '%s\n%s\n' "$rules" "${words/ on:/ off:}" > "$work/rules"
layers
check 'a rule that is off refuses nothing' [ $status = 0 ]
layers --words
check 'and can be counted' grep -q '^words attention (off): 3 places in 1 files; engine 3$' "$work/out"
check 'without failing' [ $status = 0 ]

[ $failures = 0 ] || { printf '%d failed\n' $failures; exit 1; }
