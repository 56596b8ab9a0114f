#!/bin/sh
# make bench-sparse: whole processes on sparse matrices, one thread, as Markdown on standard output. Medians are over
# seeds 1 to 5. Real matrices from the directory PERM_MATRICES, else skipped. Argument reach or samplers: only that section.
cd "$(dirname "$0")/.." || exit 1
process() { build/bench_sparse process build/perm --threads 1 "$@"; }
head='| matrix | seconds | MB | permanent | what is known, how |
|---|---|---|---|---|'

reach() { # values that other engines do not reach, exact; rook numbers and hybrid beside their permanents, doubles
  echo; echo "## Reach: whole process, one thread (best of 5; over a second, once)"; echo
  echo "$head"
  awk 'BEGIN { for (k = 1; k <= 400; k++) printf "%d%s", k * k * k % 19 - 9, k % 20 ? " " : "\n" }' >build/small_20.txt
  for name in nested:200 prefixes:200 derangements:200 menage:100 coronene grid:30:30 grid:100:100 projective:5 \
              regular:40:6; do
    process --generate "$name" --precision exact
  done
  process build/small_20.txt; process build/small_20.txt --rook
  for seed in 1 2 3; do process --seed $seed --generate regular:48:6 --method sign-search; done
  for seed in 1 2 3 4 5; do
    process --seed $seed --generate binary:30:0.2; process --seed $seed --generate binary:30:0.2 --rook
    for precision in default exact dd; do
      process --seed $seed --generate binary:40:0.2 --method hybrid --precision $precision
    done
  done
  build/perm --threads 1 --generate regular:64:6 --method sign-search --explain=full | grep -o 'predicted .* s .*probes)'
  build/records box 6 arrays
  build/records box 6 arrays:9223372036854775783
}
if [ "$1" = reach ]; then
  reach
  exit
fi

samplers() { # instances of the kinds on which rejection samplers were compared (AAAI 2023): exact, and as a guarantee
  echo; echo "## Few entries a line: the permanent, and --guarantee 0.1,0.05; whole process, seconds, seeds 1 to 3"; echo
  echo "| matrix | permanent | by | guarantee | by |"
  echo "|---|---|---|---|---|"
  for name in mixed:50 random-entries:50 random-lines:50 random-permutations:50 \
              mixed:60 random-entries:60 random-lines:60 random-permutations:60; do
    for seed in 1 2 3; do
      set -- --threads 1 --seed $seed --generate $name
      process --seed $seed --generate $name
      start=$(date +%s.%N); build/perm "$@" --guarantee 0.1,0.05 --json; end=$(date +%s.%N)
      echo "$end $start"
    done | awk -F'|' -v name="$name" '
      function least_most(least, most) { return least == most ? least : least " to " most }
      function note(kind, seconds) { if (!(kind in most) || seconds > most[kind]) most[kind] = seconds
        if (!(kind in least) || seconds < least[kind]) least[kind] = seconds }
      /^\|/ { note("exact", $3 + 0); by = $6; gsub(/.*; |,.*|^ *| *$/, "", by); ways[by] }
      /^{/ { way = /computed: method/ ? "computed" : /"samples":0,/ ? "small blocks" : "samples"; taken[way]++ }
      /^[0-9]/ { split($0, clock, " "); note("guarantee", sprintf("%.3f", clock[1] - clock[2]) + 0) }
      END { for (by in ways) methods = methods (methods ? ", " : "") by
        for (way in taken) told = told (told ? ", " : "") way
        printf "| %s | %s | %s | %s | %s |\n", name, least_most(least["exact"], most["exact"]), methods,
               least_most(least["guarantee"], most["guarantee"]), told }'
  done
}
if [ "$1" = samplers ]; then
  samplers
  exit
fi

[ -n "$PERM_MATRICES" ] || echo "SKIP real matrices: PERM_MATRICES is not set" >&2
echo; echo "## Whole process, one thread (best of 5; over a second, once)"; echo
echo "$head"
for row in bcspwr02 mycielskian6 mesh1e1 bcsstk01 "bcsstk01 --effort 8 --max-bytes 1.8e8" "grid:16:16 --precision exact" \
           band:1000:5 band:100000:1 tree:100000 "grid:30:30 --precision dd"; do
  set -- $row
  name=$1; shift
  case $name in
    *:*) build/bench_sparse process build/perm --threads 1 "$@" --generate "$name" ;;
    *) [ -r "$PERM_MATRICES/$name.mtx" ] &&
       build/bench_sparse process build/perm --threads 1 "$@" "$PERM_MATRICES/$name.mtx" ;;
  esac
done

echo; echo "## Whole process, one thread: median and largest of seeds 1 to 5"; echo
echo "| matrix | median seconds | largest | median MB | largest |"
echo "|---|---|---|---|---|"
for name in er:40:0.1 er:40:0.2 regular:100:3; do
  for seed in 1 2 3 4 5; do
    build/bench_sparse process build/perm --threads 1 --seed $seed --generate "$name"
  done | awk -F'|' -v name="$name" '
    function sorted(x, n,  i, j, t) { for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (x[j] < x[i]) { t = x[i]; x[i] = x[j]; x[j] = t } }
    { s[NR] = $3 + 0; m[NR] = $4 + 0 }
    END { sorted(s, NR); sorted(m, NR); printf "| %s | %.3f | %.3f | %.0f | %.0f |\n", name, s[3], s[NR], m[3], m[NR] }'
done

reach
samplers
build/bench_sparse planner polynomial threads tracking amplitudes
# SPDX-License-Identifier: MIT
