#!/usr/bin/env bash
# scripts/check-docs on a copy of the tree: names of files that are gone are refused, wherever they stand.
set -uo pipefail
source_dir=$1
git -C "$source_dir" rev-parse --git-dir > /dev/null 2>&1 || { printf 'no git: skipped\n'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {  # check "what" command...: the command must succeed
  local what=$1
  shift
  if "$@"; then printf 'ok    %s\n' "$what"; else printf 'FAIL  %s\n' "$what"; failures=$((failures + 1)); fi
}
refuses() { grep -qF -- "$1: there is no such file" "$work/out"; }

(cd "$source_dir" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work" 2> /dev/null)
printf '// see farm/gone.hpp, gone.inl and NAME.hpp\n' >> "$work/farm/calls.cpp"
printf '# evaluators/gone.py; gone.py may be a user'"'"'s\n' >> "$work/kernels/attention_forward/problem.yaml"
# shellcheck disable=SC2016
printf 'See `gone.cuh`, and `my_kernel.cu`.\n' >> "$work/docs/use/gpu.md"
python3 "$work/scripts/check-docs" > "$work/out"
check 'it ends with 1' [ $? = 1 ]
check 'a path in a comment of C++' refuses 'farm/calls.cpp: farm/gone.hpp'
check 'a name without a folder' refuses 'farm/calls.cpp: gone.inl'
check 'a path in a comment of YAML' refuses 'kernels/attention_forward/problem.yaml: evaluators/gone.py'
check 'a name in a page' refuses 'docs/use/gpu.md: gone.cuh'
check 'and nothing else' [ "$(wc -l < "$work/out")" = 4 ]
exit "$((failures > 0))"
