#!/bin/sh
# make bench-sparse: whole processes on sparse matrices, one thread, as Markdown on standard output. Medians are over
# seeds 1 to 5. Real matrices from PERM_MATRICES, skipped when absent.
cd "$(dirname "$0")/.." || exit 1
matrices=${PERM_MATRICES:-../shared/matrices}
head='| matrix | seconds | MB | permanent | what is known, how |
|---|---|---|---|---|'

echo; echo "## Whole process, one thread (best of 5; over a second, once)"; echo
echo "$head"
for row in bcspwr02 mycielskian6 mesh1e1 bcsstk01 "bcsstk01 --effort 8 --max-bytes 1.8e8" "grid:16:16 --precision exact" \
           band:1000:5 band:100000:1 tree:100000 "grid:30:30 --precision dd"; do
  set -- $row
  name=$1; shift
  case $name in
    *:*) build/bench_sparse process build/perm --threads 1 "$@" --generate "$name" ;;
    *) [ -r "$matrices/$name.mtx" ] && build/bench_sparse process build/perm --threads 1 "$@" "$matrices/$name.mtx" ;;
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

build/bench_sparse planner threads
# SPDX-License-Identifier: MIT
