# Joins the rooms of src/ into one file: awk -f src/join.awk [-v given="src/perm.h ..."] src/perm_sparse.h
# An #include "..." of a file in a folder of src/ becomes that file's text: once where the file says #pragma once,
# otherwise every time. A room may include only rooms that stand above it, so a room that is met first inside another
# one is an error. `given` names files of src/ whose rooms are there already; what a file itself includes it gets again.

function path_of(from, name) { # of "../base/memory.h" in src/dense/plain.h: src/base/memory.h
  sub(/[^\/]*$/, "", from)
  for (name = from name; sub(/[^\/.]+\/\.\.\//, "", name);)
    ;
  return name
}

function text_of(path,  line, text) {
  text = ""
  while ((getline line <path) > 0)
    if (line !~ /^\/\* SPDX-License-Identifier/) # the joined files have theirs
      text = text line "\n"
  close(path)
  return text
}

function is_room(path) {
  if (path !~ /^src\/[^\/]+\//)
    return 0
  if (!(path in room_text)) {
    room_text[path] = text_of(path)
    once[path] = room_text[path] ~ /\n#pragma once\n/
  }
  return room_text[path] != ""
}

function fail(message) {
  print message >"/dev/stderr"
  failed = 1
  exit 1
}

function put(line, quiet) { # never two blank lines
  if (!quiet && (line != "" || !blank))
    print line
  blank = line == ""
}

# Prints the file unless `quiet`; a room's own includes only check that those rooms stand above it.
function join(path, quiet, room,  lines, count, i, line, name, text) {
  text = text_of(path)
  sub(/\n$/, "", text)
  count = split(text, lines, "\n")
  for (i = 1; i <= count; i++) {
    line = lines[i]
    if (line == "#pragma once") {
      seen[path] = quiet ? "given" : 1
    } else if (line ~ /^#include "/ && is_room(name = path_of(path, substr(line, 11, length(line) - 11)))) {
      if (room && !seen[name] && once[name])
        fail(path " uses " name ", which does not stand above it")
      if (!seen[name] || (!room && !quiet && seen[name] == "given")) {
        put("", quiet)
        join(name, quiet, 1)
        put("", quiet)
      }
    } else {
      put(line, quiet)
    }
  }
}

BEGIN {
  print "/* Joined by `make headers` from the files of src/: change those. */"
  files = split(given, file, " ")
  for (k = 1; k <= files; k++)
    join(file[k], 1, 0)
  join(ARGV[1], 0, 0)
  exit failed
}
# SPDX-License-Identifier: MIT
