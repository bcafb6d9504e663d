#!/bin/bash
# Is the lineage of experiments/llm_replay.yaml the same with the network away, for 1, 2 and 4 threads, after kill -9 and
# resume, and in a replay? Prints each lineage and ends with 0 if they are one. About a minute on two cores.
#   bench/source/llm_replay.sh [EVO]
set -u
evo=${1:-./evo}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A network namespace of its own has no interface that is up, loopback included.
alone="unshare -n"
$alone true 2>/dev/null || alone="unshare -r -n"
$alone true 2>/dev/null || { echo "this machine lets nobody take the network away (unshare -n)" >&2; exit 4; }
experiment=$root/experiments/llm_replay.yaml
lineage() { "$evo" lineage "$1" | sed -n 's/^lineage_sha256 //p'; }
all=""
report() {  # NAME RUN
  local hash
  hash=$(lineage "$2")
  echo "$1: ${hash:-none}"
  all="$all${hash:-none}"$'\n'
}
for threads in 1 2 4; do
  $alone "$evo" run "$experiment" -q --threads $threads --run-dir "$folder/t$threads" > /dev/null || exit 1
  report "$threads threads" "$folder/t$threads"
done
for after in 1 2 4; do
  run=$folder/killed$after
  $alone "$evo" run "$experiment" -q --run-dir "$run" > /dev/null 2>&1 &
  # unshare becomes evo: the id is its own.
  id=$!
  sleep "$after"
  kill -9 $id 2>/dev/null && left=killed || left="ended before"
  wait $id 2>/dev/null
  $alone "$evo" resume "$run" -q > /dev/null 2>&1 || [ "$left" != killed ] || exit 1
  report "$left after $after s, resumed" "$run"
done
$alone "$evo" replay "$folder/t1" > /dev/null || { echo "the replay differs" >&2; exit 1; }
echo "replayed"
[ "$(printf '%s' "$all" | sort -u | wc -l)" = 1 ]
