#!/bin/sh
# make bench: everything measured in one run on one machine, as Markdown on standard output; the picture goes to
# bench/bench_rates.svg. One-thread rates are measured on the last core.
cd "$(dirname "$0")/.." || exit 1
start=$(date +%s)
echo "# perm benchmark, $(date -u +%Y-%m-%d)"
echo
model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "Machine: $model, $(nproc) cores; ${CC:-cc}: $(${CC:-cc} --version | head -n 1)"
echo "Command: make bench. Shared or busy machines lower every figure; ratios are within one run."
echo "An element is a (row, sign pattern) pair: n 2^(n-1) of them."
pin=""
command -v taskset >/dev/null && pin="taskset -c $(($(nproc) - 1))"
set -e
echo; echo "# Built with -O2"
$pin build/bench rates pair small batch counts exact figure=bench/bench_rates.svg
echo; echo "# Built with -O3"
$pin build/bench_O3 rates=20,24,28
echo; echo "# All cores"
build/bench threads accuracy bounds precision
echo; echo "# Whole process, seconds (best of 5, start to exit) and peak memory"
echo
echo "| matrix | seconds | MB | permanent | what is known, how |"
echo "|---|---|---|---|---|"
[ -n "$PERM_MATRICES" ] || echo "SKIP real matrices: PERM_MATRICES is not set" >&2
for matrix in bcspwr02 mycielskian6 mesh1e1 bcsstk01 grid:16:16 regular:60:3 er:40:0.1; do
  case $matrix in
    *:*) argument="--generate $matrix" ;;
    *) argument=$PERM_MATRICES/$matrix.mtx; [ -r "$argument" ] || continue ;;
  esac
  build/bench process build/perm $argument --threads 1
done
echo; echo "The run took $(($(date +%s) - start)) s."
# SPDX-License-Identifier: MIT
