#!/bin/bash
# Is evo compare right on a GPU? Ten times a kernel with 3.2 % more work against the kernel, and ten times the kernel
# against itself under another name. Prints the verdicts and ends with 0 if all of them are right. About 40 s.
#   [SEEDS="1 2 3"] [ROUNDS=5000] bench/compare/planted.sh [EVO] [DEVICE]
set -u
evo=${1:-./evo}
device=${2:-cuda:0}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
kernel() {  # NAME ROUNDS: multiplies by 3 and by its inverse modulo 2^32 so often besides adding
  sed "s|c\[i\] = a\[i\] + b\[i\];|{ unsigned s = __float_as_uint(a[i] + b[i]);\n_Pragma(\"unroll 1\")\n for (int k = 0; k < 2 * $2; ++k) s *= k % 2 ? 0xAAAAAAABu : 3u;\n c[i] = __uint_as_float(s); }|" \
    "$root/examples/vector_add/vector_add.cu" > "$folder/$1.cu"
}
rounds=${ROUNDS:-5000}
kernel old "$rounds"
kernel slower $((rounds * 1032 / 1000))
sed '1i // a copy' "$folder/old.cu" > "$folder/copy.cu"
wrong=0
for new in slower copy; do
  expected=same
  [ $new = slower ] && expected=regression
  for i in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
    line=$("$evo" compare "$folder/old.cu" "$folder/$new.cu" --problem "$root/examples/vector_add" --target h200 \
      --genes THREADS=128,PER_THREAD=1 --workload n=65536 --device "$device" --input-seed $i --json -q)
    code=$?
    verdict=$(printf '%s' "$line" | sed -n 's/.*"verdict":"\([a-z_]*\)","exit_code".*/\1/p')
    figures=$(printf '%s' "$line" | grep -o '"ratio":[^,]*,"interval":[^]]*\],"pairs":[0-9]*')
    echo "$new $i: $verdict (exit $code) $figures"
    [ "$verdict" = $expected ] || wrong=$((wrong + 1))
  done
done
echo "$wrong of 20 wrong"
[ $wrong = 0 ]
