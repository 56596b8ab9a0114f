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

samplers() { # like the instances on which rejection samplers were compared (AAAI 2023): permanents and guarantees
  most=${BENCH_SECONDS:-60}
  echo; echo "## Few entries a line: one thread, at most $most s, processor time; predicted: by --explain"; echo
  echo "| matrix, seed 1 | permanent, s | predicted, s | by | --guarantee 0.1,0.05, s | how |"
  echo "|---|---|---|---|---|---|"
  for name in mixed:50 random-entries:50 random-lines:50 random-permutations:50 \
              mixed:60 random-entries:60 random-lines:60 random-permutations:60; do
    plan=$(build/perm --threads 1 --json --generate $name --explain 2>/dev/null)
    { echo "$plan"
      for guarantee in "" "--guarantee 0.1,0.05"; do # what is predicted to take longer is not begun
        [ "$guarantee" ] || echo "$plan" | awk -v most=$most '{ exit !match($0, /"predicted_seconds":[0-9.e+-]*/) ||
          substr($0, RSTART + 20, RLENGTH - 20) + 0 > most }' || { echo '{'; echo time; continue; }
        bash -c 'ulimit -t $1; shift; TIMEFORMAT="time %U"; time "$@"' - $most build/perm --threads 1 --json \
          --generate $name $guarantee || echo "{ stopped"
      done
    } 2>&1 | awk -v name="$name" '
      function key(name,  found) {
        if (!match($0, "\"" name "\":\"?[^,\"]*")) return ""
        found = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
        gsub(/"/, "", found); return found }
      /"predicted_seconds"/ { predicted = key("predicted_seconds"); by = key("method") }
      /^{/ { seen++; done = /"status":"PERM_OK"/
        how = !done ? "" : /computed: method/ ? "computed" : key("samples") " samples" }
      /^time/ { seconds[++times] = done ? $2 : ""; done = 0 }
      END { printf "| %s | %s | %.3g | %s | %s | %s |\n", name, seconds[1], predicted, by, seconds[2], how; exit times != 2 }'
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
