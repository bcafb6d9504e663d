# Run by the build: writes the file OUT, which names the sources that decide what a device job comes to. LIST: a file with their paths, one a line,
# from ROOT. Two builds of the same sources have the same name, wherever they stand.
file(STRINGS "${LIST}" sources)
set(sums "")
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" sum)
  string(APPEND sums "${source} ${sum}\n")
endforeach()
string(SHA256 id "${sums}")
string(SUBSTRING "${id}" 0 16 id)
file(WRITE "${OUT}" "// Written by the build.\nextern \"C\" {\nextern const char evo_source_id[];\nconst char evo_source_id[] = \"${id}\";\n}\n")
