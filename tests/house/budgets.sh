#!/bin/sh
# Budgets: what a figure of the source may be at most, from tests/house/budgets.txt. They are a ratchet: figures go
# down, and their budgets with them. A budget above what it was since the table's ratchet line changed is a failure.
# Usage: tests/house/budgets.sh [compile | full | lower [full]]
#   (nothing)  what is counted: lines, functions, macros, parameters, words
#   compile    and what gcc makes of the headers: kB of code, the same on every machine, and compile seconds, as ratios
#              to a fixed file (tests/compile/reference.awk), least of 3
#   full       the same of every header and without what may be left out
#   lower      writes the table again: each budget its figure + 5 % (compile seconds: + 30 %), where that is less
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/budgets table=tests/house/budgets.txt; mkdir -p $out
mode=$1
[ "$mode" = lower ] && mode=$2
rooms=$(ls src/*/*.h)
say() { echo "$1 $2" >>$out/figures; }
rm -f $out/figures

say room_lines "$(wc -l $rooms | awk '$2 != "total" && $1 > most { most = $1 } END { print most }')"
for file in perm.h perm_sparse.h perm_more.h perm_cuda.cu perm_mpi.c; do say ${file}_lines "$(wc -l <$file)"; done
joined=$(ls perm*.h perm*.cu perm*.c)
say joined_lines "$(cat $joined | wc -l)"
for file in $joined; do say ${file}_kb $(($(wc -c <$file) / 1000)); done
functions() { # functions FILE...: the lines of the longest one, and how many have over 100
  awk '/^{$/ { start = FNR } /^}/ && start { lines = FNR - start - 1; start = 0
      if (lines > most) most = lines; if (lines > 100) long++ }
    END { print most, long + 0 }' "$@"
}
functions $rooms | { read -r most long; say function_lines $most; say functions_over_100 $long; }
functions examples/command/*.[ch] | { read -r most long; say command_function_lines $most; }
say command_lines "$(cat examples/command/*.[ch] | wc -l)"
python=$(ls examples/python/*.py | grep -v /test_)
say python_lines "$(cat $python examples/python/_perm.c examples/python/perm_xla.c | wc -l)"
# A function of Python ends before the next line that is indented no deeper than its def.
say python_function_lines "$(awk 'function depth() { match($0, /[^ ]/); return RSTART }
  FNR == 1 || start && /[^ ]/ && !/^ *[])}]/ && depth() <= at { start = 0 }
  /^ *def / && !start { start = FNR; at = depth() }
  start && /[^ ]/ && FNR - start > most { most = FNR - start }
  END { print most }' $python)"
say price_constants "$(grep -cE '^#define PERMI_[A-Z_0-9]+ ' src/base/prices.h)"
# Functions of at most 8 lines that one place uses: each is a leaf to turn for the reader.
say small_functions_used_once "$(awk '
  FNR == 1 { text = ""; if (NR == 1) first = FILENAME; if (FILENAME == first) pass++ }
  pass == 1 {
    if (/^[#\/}]/ || /^PERM_/ || /;$/ || /^$/) text = ""
    else if (/^{$/) { sub(/^[^(]*\(\(?[a-z_]*\)?\)? *__attribute__/, "", text)
      if (match(text, /permi_[a-z_0-9]+ *\(/)) { name = substr(text, RSTART, RLENGTH - 1); start = FNR }
      text = "" }
    else text = /^[a-zA-Z]/ || text == "" ? $0 : text " " $0
    if (/^}/ && start) { if (FNR - start - 1 <= 8) small[name] = 1; start = 0 }
    next }
  { while (match($0, /permi_[a-z_0-9]+/)) { uses[substr($0, RSTART, RLENGTH)]++; $0 = substr($0, RSTART + RLENGTH) } }
  END { for (name in small) if (uses[name] == 2) once++; print once + 0 }' $rooms $rooms)"
# Parameters of private functions: commas of a definition, from column 1 to its { in column 1.
awk 'FNR == 1 { text = "" }
  /^[#\/}]/ || /^PERM_/ || /;$/ || /^$/ { text = ""; next }
  /^{$/ { if (text ~ /\(/) {
      sub(/^[^(]*\(\(?[a-z_]*\)?\)? *__attribute__/, "", text); sub(/.*[a-z_0-9] *\(/, "(", text); gsub(/\([^()]*\) *\(/, "(", text)
      count = gsub(/,/, ",", text) + 1; if (count > most) { most = count } }
    text = ""; next }
  /^[a-zA-Z]/ { text = $0; next }
  text != "" { text = text " " $0 }
  END { print "parameters", most }' $rooms >>$out/figures
awk '/^#define/ && /\\$/ { n = 1; next } n { n++; if (!/\\$/) { if (n > 5) count++; n = 0 } }
  END { print "macros_over_5_lines", count + 0 }' $rooms >>$out/figures
for file in perm.h perm_sparse.h perm_more.h; do
  say ${file}_readings "$(grep -c '^#include PERM_HEADER_FILE' $file)"
  say ${file}_comment_words "$(awk '
    { line = $0
      while (line != "") {
        if (inside) { end = index(line, "*/"); text = text " " (end ? substr(line, 1, end - 1) : line)
          line = end ? substr(line, end + 2) : ""; inside = !end }
        else { start = index(line, "/*"); line = start ? substr(line, start + 2) : ""; inside = start > 0 } } }
    END { print gsub(/[A-Za-z][A-Za-z'"'"'-]*/, "x", text) }' $file)"
done

# Seconds that the processor spends on compiling. Its speed changes from minute to minute, so the reference is compiled
# before each run and after it. Neighbours take caches and memory, from a large file more than from the reference: these
# figures are measured alone (tests/check.sh). Of three runs the least counts; one within its budget is enough.
cc=${CC:-gcc}
skipped=0 compiler=$(sed -n 's/^# *compiler //p' $table)
seconds() { # seconds FLAGS FILE: of cc1 and the assembler
  ($cc -std=c99 -O2 -I. $1 -c $2 -o $out/one.o || echo failed >$out/failed; times) |
    tail -n 1 | awk '{ split($1, part, /[ms]/); print 60 * part[1] + part[2] }'
}
budget() { awk -v name="$1" '$1 == name { print $2 }' $table; }
ratio() { # ratio NAME FLAGS FILE
  rm -f $out/ratios
  for run in 1 2 3; do
    before=$after
    took=$(seconds "$2" $3)
    kb=$(size $out/one.o | awk 'NR == 2 { print int($1 / 1000) }') # of it, not of the reference
    after=$(seconds "" $out/reference.c)
    echo $took $before $after | awk '{ printf("%.2f\n", 2 * $1 / ($2 + $3)) }' >>$out/ratios
    sort -n $out/ratios | awk -v most="$(budget $1)" 'NR == 1 { print; exit $1 > most }' >$out/ratio && break
  done
  say $1 "$(cat $out/ratio)"
  say code_kb${1#compile} "$kb"
}
if [ -n "$mode" ]; then
  if [ "$($cc -dumpversion 2>/dev/null | cut -d. -f1)" != "$compiler" ] || ! $cc --version | grep -q Free; then
    echo "SKIP budgets of compile time: they are for gcc $compiler"; skipped=1
  else
    rm -f $out/failed
    awk -f tests/compile/reference.awk >$out/reference.c
    printf '#define PERM_IMPLEMENTATION\n#include "perm.h"\n' >$out/dense.c
    printf '#define PERM_IMPLEMENTATION\n#include "perm_sparse.h"\n' >$out/both.c
    printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/all.c
    printf '#define PERM_STATIC\n#define PERM_IMPLEMENTATION\n#include "perm.h"\nint main(int n, char **a)\n' >$out/bare.c
    echo '{ return perm_real(n, (const double *)(const void *)a[0]) > 0; }' >>$out/bare.c
    after=$(seconds "" $out/reference.c)
    ratio compile_perm_real "" $out/bare.c
    ratio compile_perm.h "" $out/dense.c
    ratio compile_perm_sparse.h "" $out/both.c
    if [ "$mode" = full ]; then
      ratio compile_perm.h_least "-DPERM_NO_COMPLEX -DPERM_NO_EXACT -DPERM_NO_EXTRAS" $out/dense.c
      ratio compile_perm_more.h "" $out/all.c
    fi
    [ -e $out/failed ] && say compile_failed 1
    echo "the reference takes $after s"
  fi
fi

if [ "$1" = lower ]; then
  awk 'NR == FNR { is[$1] = $2; next }
    /^#/ || /^$/ || !($1 in is) || $1 == "room_lines" { print; next }
    { new = $1 ~ /^compile/ ? sprintf("%.2f", is[$1] * 1.3) : int(is[$1] * 1.05)
      rest = $0; sub(/^[^ ]+ +[^ ]+ */, "", rest); if (new + 0 > $2 + 0) new = $2
      line = sprintf("%-28s %-8s %s", $1, new, rest); sub(/ +$/, "", line); print line }' $out/figures $table >$out/table && cp $out/table $table
fi
# Every figure has a budget, and every budget a figure but those of compile time, which are not always measured.
# Where there is git: all that the table said since its ratchet line changed.
: >$out/history
start=$(git log -n 1 --format=%H -S"$(grep '^# ratchet' $table)" -- $table 2>/dev/null)
[ -z "$start" ] || for commit in $start $(git log --format=%H $start..HEAD -- $table); do
  git show $commit:$table | grep '^[a-z]' >>$out/history; done
awk -v skipped=$skipped -v compile="$mode" '
  /^#/ || /^$/ { next }
  FILENAME ~ /history$/ { if (!($1 in least) || $2 + 0 < least[$1]) least[$1] = $2 + 0; next }
  NR != FNR { is[$1] = $2; next }
  { budget[$1] = $2; order[++count] = $1 }
  END {
    for (i = 1; i <= count; i++) { name = order[i]
      if (!(name in is)) { if (name !~ /^c(ompile|ode_kb)/ || (compile == "full" && !skipped)) { failed++; print "FAIL " name ": no figure" } }
      else if (is[name] == "" || is[name] + 0 > budget[name] + 0) { failed++; print "FAIL " name ": " is[name] ", budget " budget[name] }
      else { passed++; print name, is[name], "of", budget[name] } }
    for (name in least) if (name in budget && budget[name] + 0 > least[name]) {
      failed++; print "FAIL " name ": its budget rose from " least[name] " to " budget[name] }
    for (name in is) if (!(name in budget)) { failed++; print "FAIL " name ": " is[name] ", no budget" }
    print passed + 0 " passed, " failed + 0 " failed, " skipped " skipped"
    exit failed > 0
  }' $table $out/figures $out/history
# SPDX-License-Identifier: MIT
