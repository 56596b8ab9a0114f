# docs/api.md from the public rooms: awk -f src/api.awk src/api/config.h src/api/types.h ... src/mpi/api.h
# A unit is a comment with the declarations below it, up to a blank line or the next comment in column 1. Its first name
# finds its subject: the first line of the table whose pattern fits. Comments without declarations stay before the next.

function subject(name, pattern) { titles[++subjects] = name; fits[subjects] = pattern }
BEGIN {
  subject("Permanents of arrays", "^perm_(real|complex|compute_(real|repeated))|^perm_compute_integer")
  subject("Minors, gradients, marginals", "^perm_(minors|gradient|marginals)")
  subject("Many matrices", "^perm_(batch|select)")
  subject("Sparse matrices and files", "^(perm|PERM)_(kind|matrix|MATRIX|sparse_job|sparse_report|compute_sparse|preparation)")
  subject("Samples and estimates", "^perm_(sample|estimat)|^PERM_ESTIMATE")
  subject("Rook numbers and polynomials", "^perm_(rook|polynomial|permanental)")
  subject("Photons", "^perm_(outputs|amplitudes)|^PERM_MODE")
  subject("Factors, nodes, proofs, pictures", "^perm_(compute_low|compute_cauchy|prove|sparse_spy)|^PERM_CAUCHY")
  subject("Options", "^perm_(options|gpu|checkpoint_file|allocator|progress|workspace)|^PERM_ALL_GPUS")
  subject("Results", "^perm_(result|integer|status|amount|name)|^PERM_STATUS")
  subject("Methods, precisions, formats", "^PERM_(METHOD|ISA|FORMAT)|^perm_(method|precision|isa|format)")
  subject("Jobs, states, checkpoints", "^perm_(job|leaf|offer|sum|partial|state|checkpoint)")
  subject("Clusters", "^perm_mpi")
  subject("Versions and layouts", "^PERM_VERSION|^perm_(version|layout|more_layout)")
  subject("Limits and macros", ".")
}

function names_of(line) { # public names that this line of code declares, after a blank each
  if (match(line, /^#define PERM_[A-Z_0-9]+/)) return " " substr(line, 9, RLENGTH - 8)
  if (match(line, /^typedef (struct|enum) perm_[a-z_]+/)) { sub(/^typedef [a-z]+ /, "", line); return " " substr(line, 1, match(line, /[^a-z_]/) - 1) }
  if (match(line, /^typedef .*\(\*perm_[a-z_]+\)/)) { sub(/.*\(\*/, "", line); return " " substr(line, 1, index(line, ")") - 1) }
  if (match(line, /^[a-z].*perm_[a-z_0-9]+\(/)) { sub(/\(.*/, "", line); sub(/.*[ *]/, "", line); return " " line }
  return ""
}

function unit(  k, at, list, count, name, heading) {
  if (code == "") { if (comment != "") before = before comment "\n"; comment = ""; return }
  count = split(names, list, " ")
  for (k = subjects; k; k--) if (list[1] ~ fits[k]) at = k
  heading = ""
  for (k = 1; k <= count; k++) if (!(list[k] in seen)) {
    seen[list[k]] = 1
    heading = heading (heading == "" ? "" : ", ") list[k]
    index_of[at] = index_of[at] (index_of[at] == "" ? "" : ", ") "`" list[k] "`"
  }
  sub(/\n+$/, "\n\n", before)
  text[at] = text[at] (heading == "" ? "" : "### " heading "\n\n") before (comment == "" ? "" : comment "\n") "```c\n" code "```\n\n"
  before = comment = code = names = ""
}

function prose(line) { # of a comment, as Markdown
  sub(/^ +/, "", line); gsub(/\\|\*|</, "\\\\&", line); sub(/^[-+#>]/, "\\\\&", line)
  return line "\n"
}

FNR == 1 { unit(); depth = inside = skipping = 0 }
FILENAME ~ /perm_mpi\.c$/ && !/^\/\* =+ >>config/ && !inside { next }
/^#if defined\(__cplusplus\)/ || /^#(el)?if.*(PERM_STATIC|cplusplus)/ { skipping = 1 }
skipping { if (/^#endif/) skipping = 0; next }
/SPDX-License/ || /^#(if|endif|else|pragma|include|undef)/ || /^struct [a-z_]+;$/ || /^#define PERM_[A-Z_]+\(name/ { next }
/^\/\*/ && !depth { unit(); inside = 1; top = /^\/\* =+ >>/; table = / >>config/; sub(/^\/\* */, ""); if (top) { inside = !/\*\//; next } }
inside {
  last = sub(/ *\*\/$/, "")
  if (table) { if ($0 ~ /PERM_/) { code = code substr($0, 4) "\n"; if ($0 ~ /^   PERM/) names = names " " substr($1, 1, match($1 "(", /\(/) - 1) } else if (code != "" && $0 != "") code = code substr($0, 4) "\n" }
  else if (!top) comment = comment prose($0)
  else if (FILENAME ~ /\/calls/) general = general prose($0)
  else if (FILENAME ~ /mpi/) before = before prose($0)
  if (last) { inside = 0; if (table) unit(); if (top && before != "") before = before "\n" }
  next
}
/^$/ { unit(); next }
{
  sub(/ *\\$/, "")
  if (match($0, /^PERM_[A-Z_]*API /)) { api = RLENGTH; $0 = substr($0, api + 1) }
  else if (api && substr($0, 1, api) ~ /^ +$/) $0 = substr($0, api + 1)
  else api = 0
  if (!depth) { name = names_of($0); if ((name " ") ~ /_FILE / && (substr(name, 2) in seen)) next; names = names name }
  code = code $0 "\n"
  depth += gsub(/[{]/, "&") - gsub(/[}]/, "&")
}
END {
  unit()
  print "# Every public name\n\nMade by `make headers` from `src/api` and `src/mpi`: change those. Which call is for what: [start](start.md). What statuses mean:"
  print "[questions](faq.md#statuses).\n\n" general "\n| subject | names |\n|---|---|"
  for (k = 1; k <= subjects; k++) {
    link = tolower(titles[k]); gsub(/,/, "", link); gsub(/ /, "-", link)
    print "| [" titles[k] "](#" link ") | " index_of[k] " |"
  }
  for (k = 1; k <= subjects; k++) printf("\n## %s\n\n%s", titles[k], substr(text[k], 1, length(text[k]) - 1))
}
# SPDX-License-Identifier: MIT
