#!/bin/sh
# Whole processes of the command on a GPU: start, plan, compiler, sum. The median of three, as a Markdown table.
# Usage: tests/cuda/processes.sh [KIND...]   kinds of --generate
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- er:40:0.2 er:40:0.3 er:40:0.5 er:45:0.3 er:48:0.2 uniform:40 binary:36:0.5 regular:120:3
if ! build/perm_gpu --generate uniform:20 --gpus 1 --isa cuda >/dev/null 2>build/processes.log; then
  echo "SKIP processes: $(head -n 1 build/processes.log)"; exit 0
fi
printf '\n| whole process | seconds | method | seconds of it planning | value |\n|---|---|---|---|---|\n'
for kind in "$@"; do
  for run in 1 2 3; do
    start=$(date +%s%N)
    build/perm_gpu --generate "$kind" --gpus 1 --json >build/process.$run.json || exit 1
    end=$(date +%s%N)
    echo "$((end - start)) $run"
  done | sort -n | sed -n 2p >build/process.median
  read -r nanoseconds run <build/process.median
  sed 's/.*"value":[^"]*"\([^"]*\)".*"method":[^"]*"\([^"]*\)".*"plan_seconds":[ ]*\([0-9.e+-]*\).*/\2 | \3 | \1/' \
    build/process.$run.json | sed "s/^/| $kind | $(echo "$nanoseconds" | awk '{printf "%.2f", $1 / 1e9}') | /; s/\$/ |/"
done
# SPDX-License-Identifier: MIT
