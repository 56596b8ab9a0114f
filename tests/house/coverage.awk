# The report of tests/house/coverage.sh: rooms of the headers, tests/house/unreached.txt, and what llvm-cov shows of
# each program.
function base(path) { sub(/.*\//, "", path); return path }
function place(word) { gsub(/[():]/, " ", word); split(word, part, " "); return part[1] SUBSEP part[2] } # of (5:7)

# The text: where a room and a function begin.
FILENAME != ARGV[4] && FILENAME != ARGV[5] {
  if (FNR == 1) name = ""
  if (/^\/\* =+ >>[a-z_]+/) { split($0, part, ">>"); split(part[2], word, /[^a-z_]/); room = word[1]; name = "" }
  if (/^[A-Za-z].*[(]/ && !/^(typedef|struct|enum|union)/) {
    head = $0; gsub(/__attribute__ *\(\([^)]*(\([^)]*\))?\)\)/, "", head)
    if (match(head, /[a-z_0-9]+\(/)) name = substr(head, RSTART, RLENGTH - 1)
  }
  room_of[FILENAME, FNR] = FILENAME " " (room == "" ? "manual" : room)
  function_of[FILENAME, FNR] = name
  next
}
# What no test can reach: "room function", "- line", "# reason".
FILENAME == ARGV[4] {
  if (/^[a-z_0-9]+ [a-z_0-9]+$/) at = $0
  else if (/^- /) {
    entry = at SUBSEP substr($0, 3); listed[entry] = FNR; reason[entry] = 0; entries[++listing] = entry
  }
  else if (/^# / && entry != "") reason[entry] = 1
  next
}
# What ran. Files are known by their names.
/^\/.*:$/ { file = base(substr($0, 1, length($0) - 1)); next }
/^ *[0-9]+\|/ {
  split($0, part, "|"); line = part[1] + 0; count = part[2]; gsub(/ /, "", count)
  if (!((file, line) in text)) {
    text[file, line] = substr($0, length(part[1]) + length(part[2]) + 3)
    key = file SUBSEP line
    if (!(key in room_of)) { room_of[key] = file; function_of[key] = "" }
  }
  if (count != "") { lines[file, line] = 1; if (count != "0") ran[file, line] = 1 }
  next
}
/^  \|  Branch / {
  if (/Ignored/) next
  key = file SUBSEP place($3)
  for (i = 4; i < NF; i += 2) if ($(i + 1) !~ /^Folded/) {
    side = $i ~ /True/ ? "true" : "false"; gsub(/[^0-9.]/, "", $(i + 1))
    ways[key, side] = 1; if ($(i + 1) > 0) taken[key, side] = 1
  }
  next
}
/MC\/DC Decision Region/ { decision = file SUBSEP place($5); next }
/^  \|     Condition C/ { condition[$3] = place($5); next }
/^  \|  C[0-9]+-Pair: / {
  split($2, part, "-")
  if (/constant folded/) next
  key = decision SUBSEP part[1]
  decides[key] = file SUBSEP condition[part[1]]; if (/: covered/) shown[key] = 1
}

END {
  for (key in lines) { split(key, at_, SUBSEP); sum(key, "lines", 1); sum(key, "ran", key in ran) }
  for (key in ways) {
    split(key, part, SUBSEP); here = part[1] SUBSEP part[2]
    sum(here, "ways", 1); sum(here, "taken", key in taken)
    if (key in taken) continue
    name = room_of[here]; sub(/.* /, "", name)
    entry = name " " function_of[here] SUBSEP squeezed(text[here])
    if (entry in listed) { sum(here, "listed", 1); used[entry] = 1 }
    else report(part[1], part[2], part[3], "never " part[4])
  }
  for (key in decides) {
    split(decides[key], part, SUBSEP); here = part[1] SUBSEP part[2]
    name = room_of[here]; sub(/.* /, "", name)
    if (name !~ readers) continue
    sum(here, "conditions", 1); sum(here, "shown", key in shown)
    if (key in shown) continue
    entry = name " " function_of[here] SUBSEP squeezed(text[here])
    if (entry in listed) used[entry] = 1
    else report(part[1], part[2], part[3], "decides nowhere")
  }
  for (key in lines) if (!(key in ran)) { split(key, part, SUBSEP); report(part[1], part[2], 0, "not run") }
  printf "%-28s %7s %7s %7s %7s %7s %7s %7s %9s %6s\n", "room", "lines", "not run", "run %", "ways", "not", "listed",
    "taken %", "MC/DC of", "shown"
  # In the order of the text.
  for (f = 1; f < 4; f++)
    for (l = 1; (ARGV[f], l) in room_of; l++)
      if (!(room_of[ARGV[f], l] in printed)) { printed[room_of[ARGV[f], l]] = 1; row(room_of[ARGV[f], l]) }
  for (name in have) if (!(name in printed) && name !~ /^perm(_sparse|_more)?\.h$/) row(name)
  for (f = 1; f < 4; f++) row(ARGV[f])
  for (f = 1; f < 4; f++) {
    judge(ARGV[f] " has " lines_least " % of its lines run", 100 * total[ARGV[f], "ran"],
          lines_least * total[ARGV[f], "lines"])
    judge(ARGV[f] " has " ways_least " % of its branches taken, but for those listed", 100 * total[ARGV[f], "taken"],
          ways_least * (total[ARGV[f], "ways"] - total[ARGV[f], "listed"]))
  }
  for (i = 1; i <= listing; i++) {
    entry = entries[i]
    if (!(entry in used) || !reason[entry]) {
      failed++; split(entry, part, SUBSEP)
      print "FAIL tests/house/unreached.txt:" listed[entry] ": " part[1] ": " \
        (reason[entry] ? "the line is gone, or all its ways are taken" : "no reason") ": " part[2]
    } else passed++
  }
  print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
  exit failed > 0
}
function squeezed(line) { gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line); return line }
function sum(here, what, value,  name) {
  name = room_of[here]; have[name] = 1; total[name, what] += value
  split(here, path, SUBSEP); total[path[1], what] += value
}
function report(name, at_line, column, what,  here) {
  here = name SUBSEP at_line; seen = room_of[here]; sub(/.* /, "", seen)
  print name ":" at_line ":" column ": " seen " " function_of[here] ": " what ": " \
    (column > 0 ? substr(text[here], column, 60) " | " : "") squeezed(text[here]) | \
    ("sort -t: -k1,1 -k2,2n -k3,3n >" left)
}
function judge(claim, value, least) {
  if (value >= least && least > 0) passed++
  else if (gpu || least == 0) { failed++; print "FAIL " claim }
  else { skipped++; print "SKIP " claim ": needs nvcc for the code for GPUs" }
}
function row(name,  all) {
  all = total[name, "ways"]
  printf "%-28s %7d %7d %7.2f %7d %7d %7d %7.2f", name, total[name, "lines"],
    total[name, "lines"] - total[name, "ran"],
    total[name, "lines"] ? 100 * total[name, "ran"] / total[name, "lines"] : 100, all, all - total[name, "taken"],
    total[name, "listed"], all ? 100 * total[name, "taken"] / all : 100
  printf total[name, "conditions"] ? " %9d %6d\n" : "\n", total[name, "conditions"], total[name, "shown"]
}
# SPDX-License-Identifier: MIT
