#!/bin/sh
# Lines and branches of perm.h and perm_sparse.h that the tests run, by gcov: a table by room, then the lines not run.
# Fails below 98 % of either header's lines. tests/coverage.md says why the rest is not run.
# Usage: tests/coverage.sh [report [branches]]     report: of the counts there are, no run; branches: the open ones too
# A branch is one way out of one condition: each operand of && and || has two. It is gcov's count at -O0.
# -O0, without which lines melt into each other. Counts of all programs and runs are added; kernels are lines of
# src/kernels, run or not by any instance. Lines that this compiler does not see (NEON, Windows) do not count. The code
# for GPUs is run by the twins of the kernels: without nvcc it counts as not run, and the threshold is a skip.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
out=build/coverage least=98
compiler=${CC:-gcc}
if ! command -v gcov >/dev/null || ! $compiler --version | grep -q Free; then
  echo "SKIP coverage: needs gcc and gcov"
  [ -z "$REQUIRE" ]; failed=$?
  echo "0 passed, $failed failed, $((1 - failed)) skipped"
  exit $failed
fi
if [ "$1" != report ]; then
  rm -rf $out; mkdir -p $out/here/build/gpu_cache # tests write to build/: not where other test programs do
  [ -d ../shared ] && ln -s "$(cd ../shared && pwd)" $out/shared
  nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  if [ -x "$nvcc" ]; then gpu=$out/tests_cuda; else gpu=""; fi
  make -s -j2 B=$out CC="$compiler" CFLAGS="-O0 --coverage" LDFLAGS="-O0 --coverage" $out/tests $out/perm $gpu || exit 1
  ids=""
  export OMP_WAIT_POLICY=passive # more threads than cores
  for run in "../tests -s 0/2" "../tests -s 1/2" "env PERM=$out/perm CLI_DIRECTORY=$out/cli sh ../../../tests/cli.sh" \
    ${gpu:+../tests_cuda}; do
    (cd $out/here && exec $run) >$out/run.${#ids}.log 2>&1 & ids="$ids $!"
  done
  for id in $ids; do
    wait $id || { grep -h -A9 FAIL $out/run.*.log; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
  done
fi
for counts in $out/*.gcda; do gcov -b -c -t -r -s "$PWD" $counts; done >$out/gcov 2>$out/gcov.log || exit 1
# A line is count:line:text. Instances of functions that share a line follow it again between dashes: skipped.
for header in perm.h perm_sparse.h; do awk -v header=$header '
  BEGIN { FS = ":" }
  $2 ~ /^ *0$/ { if ($3 == "Source") here = $4 == header; last = apart = 0; next }
  !here { next }
  /^-+$/ { apart = 1; next }
  /^branch / { # of the line before; programs are added
    split($0, word, / +/)
    if (!apart) { ways[last, word[2]] = last; if (word[3] == "taken" && word[4] > 0) taken[last, word[2]] = 1 }
    next
  }
  { count = $1; line = $2 + 0; gsub(/[ *]/, "", count) }
  line == 0 { next }
  apart && line <= last { next } # an instance
  { apart = 0; last = line }
  count == "-" { next }
  { seen[line] = 1; if (count !~ /^[#=]/) run[line] = 1 }
  END {
    for (way in ways) { all[ways[way]]++; open[ways[way]] += !(way in taken) }
    for (line in seen) print header, line, line in run, all[line] + 0, open[line] + 0
  }' $out/gcov | sort -k2n; done >$out/lines
awk -v least=$least -v show="$2" -v gpu="$(ls $out/tests_cuda 2>/dev/null)" '
  FILENAME != ARGV[3] {
    if ($0 ~ /^\/\* =+ >>[a-z_]+/) { split($0, part, ">>"); split(part[2], name, /[^a-z_]/); room = name[1] }
    at[FILENAME, FNR] = room == "" ? "manual" : room; text[FILENAME, FNR] = $0; next
  }
  {
    key = $1 " " at[$1, $2]
    if (!(key in lines)) order[++rooms] = key
    lines[key]++; lines[$1]++; run[key] += $3; run[$1] += $3
    ways[key] += $4; ways[$1] += $4; open[key] += $5; open[$1] += $5
    if ($5 && show == "branches") print $5 " of " $4 " not taken: " $1 ":" $2 ": " text[$1, $2]
    if (!$3) missing[++missed] = $1 ":" $2 ": " text[$1, $2]
  }
  END {
    printf "%-28s %7s %7s %7s %9s %9s %7s\n", "room", "lines", "not run", "run %", "branches", "not taken", "taken %"
    for (i = 1; i <= rooms; i++) row(order[i])
    for (i = 1; i <= missed; i++) print missing[i]
    row("perm.h"); row("perm_sparse.h")
    for (i = 1; i < 3; i++)
      if (lines[ARGV[i]] > 3000 && 100 * run[ARGV[i]] >= least * lines[ARGV[i]]) passed++
      else if (gpu || lines[ARGV[i]] <= 3000) { failed++; print "FAIL " ARGV[i] ": not " least " % of lines run" }
      else { skipped++; print "SKIP " least " % of " ARGV[i] ": needs nvcc for the lines for GPUs" }
    print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
    exit failed > 0
  }
  function row(key) {
    printf "%-28s %7d %7d %7.2f %9d %9d %7.2f\n", key, lines[key], lines[key] - run[key], 100 * run[key] / lines[key],
      ways[key], open[key], ways[key] ? 100 * (1 - open[key] / ways[key]) : 100
  }
' perm.h perm_sparse.h $out/lines
# SPDX-License-Identifier: MIT
