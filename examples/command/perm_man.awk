# The manual page from `perm --help` and `perm --list`, whose texts it has nowhere else. See perm.1 in the Makefile.
# Usage: awk -v version=0.9.0 -f perm_man.awk help.txt
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text ~ /^[.']/ ? "\\&" text : text
}
function term(text,    space) { # the option bold, its argument italic
  space = match(text, /[ =[]/)
  text = space ? "\\fB" roff(substr(text, 1, space - 1)) "\\fR" roff(substr(text, space, 1)) \
                 (substr(text, space + 1) ~ /^[A-Z=]/ ? "\\fI" roff(substr(text, space + 1)) "\\fR" : \
                  roff(substr(text, space + 1))) : "\\fB" roff(text) "\\fR"
  printf ".TP\n%s\n", text
}
function section(text) { close_lines(); print ".SH " text }
function close_lines() { if (lines) print ".fi"; lines = 0 }
function open_lines() { if (!lines) print ".nf"; lines = 1 }

NR == 1 {
  printf ".\\\" From perm --help by perm_man.awk: change perm_cli_help.h.\n.TH PERM 1 \"\" \"perm %s\" \"User Commands\"\n", version
  section("NAME")
  sub(/^perm: /, "")
  print "perm \\- " roff($0)
  next
}
/^Usage: / { section("SYNOPSIS"); open_lines(); sub(/^Usage: /, ""); print roff($0); part = "usage"; next }
/^Examples:$/ { part = "examples"; next }
/^Exit codes:$/ { section("EXIT STATUS"); part = "entries"; next }
/^Methods:$/ { section("METHODS"); part = "table"; next }
/^Generators:$/ { section("GENERATED MATRICES"); part = "table"; next }
/^[A-Z][^.]*:$/ { # a group of options
  if (!options++) section("OPTIONS")
  sub(/:$/, "")
  print ".SS \"" roff($0) "\""
  part = "entries"
  next
}
/^$/ { if (part == "usage") { section("DESCRIPTION"); part = "text" } else if (part == "examples") part = "text"; next }
part == "usage" { sub(/^ +/, ""); print roff($0); next }
part == "examples" { sub(/^  /, ""); examples = examples roff($0) "\n"; next }
part == "table" { split($0, field, "\t"); term(field[1]); print roff(field[2]); next }
part == "entries" && /^  [-0-9]/ { # two spaces end the term
  line = substr($0, 3)
  term(substr(line, 1, index(line, "  ") - 1))
  sub(/^[^ ]+( [^ ]+)? +/, "", line)
  print roff(line)
  next
}
/^ / { sub(/^ +/, ""); print roff($0); next }
{ if (part == "entries") print ".P"; part = "text"; print roff($0) }

END {
  section("EXAMPLES")
  open_lines()
  printf "%s", examples
  section("SEE ALSO")
  print "The manuals at the top of perm.h, perm_sparse.h and perm_more.h; \\fBpkg\\-config\\fR(1) knows the library as \\fIperm\\fR."
}
# SPDX-License-Identifier: MIT
