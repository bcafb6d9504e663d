#!/usr/bin/env bash
# The name of a build's sources: the same wherever they stand, another one for another text or name.
set -euo pipefail
root=$1
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
id() { # ROOT LIST
  cmake "-DROOT=$1" "-DLIST=$2" "-DOUT=$folder/out.cpp" -P "$root/cmake/SourceId.cmake"
  sed -n 's/.*evo_source_id\[\] = "\([0-9a-f]\{16\}\)".*/\1/p' "$folder/out.cpp"
}
mkdir "$folder/here" "$folder/there"
for place in here there; do echo "int a;" > "$folder/$place/a.cpp"; echo "int b;" > "$folder/$place/b.cpp"; done
printf 'a.cpp\nb.cpp\n' > "$folder/list"; printf 'a.cpp\n' > "$folder/shorter"
first=$(id "$folder/here" "$folder/list")
[ -n "$first" ] || { echo "no name"; exit 1; }
[ "$(id "$folder/there" "$folder/list")" = "$first" ] || { echo "the same sources elsewhere have another name"; exit 1; }
[ "$(id "$folder/here" "$folder/shorter")" != "$first" ] || { echo "fewer sources have the same name"; exit 1; }
echo "int c;" > "$folder/there/b.cpp"
[ "$(id "$folder/there" "$folder/list")" != "$first" ] || { echo "other sources have the same name"; exit 1; }
# What is included as text decides as much as the rest.
included=$(cd "$root" && find source model evaluators packs config farm session -name '*.inl')
[ -n "$included" ] || { echo "no included text is there"; exit 1; }
for source in $included; do
  grep -qxF "$source" "$2/cli/source_id.txt" || { echo "the build's name does not depend on $source"; exit 1; }
done
echo "ok"
