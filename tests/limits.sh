#!/bin/sh
# How long the command goes on after SIGINT, SIGTERM or max_seconds, in seconds of the processor: 0.3 at most, wherever it
# is, also where it waits for input. Usage: tests/limits.sh [full]. full: more moments, and a file of two gigabytes being read (through a pipe).
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
perm=${PERM:-build/perm}
limits=build/limits
most=${LIMITS_MOST:-0.3}
passed=0 failed=0
${CC:-cc} -O1 -std=c99 -Wall -Wextra tests/limits.c -o $limits 2>build/limits.log || {
  echo "SKIP limits: this system has no clocks of processes"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
# told KIND SECONDS EXIT ARGUMENTS...: standard input goes to the command
told() {
  kind=$1 after=$2 code=$3; shift 3
  set -- "$limits" "$kind" "$after" "$perm" --threads 1 "$@"
  [ "$kind" = seconds ] && set -- "$@" --max-seconds "$after"
  answer=$("$@" 2>build/limits.err | tail -n 1)
  if echo "$answer" | awk -v most="$most" -v code="$code" '{exit !(($1 == "done" || $1 <= most) && ($2 == code))}'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)); echo "FAIL $kind $after $*: $answer"; cat build/limits.err
  fi
  echo "$kind at $after s: $answer  $(shift 6; echo "$*")"
}
moments='0.1 0.6'
[ "$1" = full ] && moments='0.02 0.1 0.3 0.6 1.2 2 4'
for job in uniform:64 unitary:62 band:100000:9 er:46:0.8 er:60:0.3 'er:54:0.3 --method sparyser'; do
  for moment in $moments; do
    told int "$moment" 1 --generate $job </dev/null
  done
  told seconds 0.5 1 --generate $job </dev/null
done
told int 0.7 1 --generate band:300000:9 --write build/limits.mtx </dev/null
told int 0.5 1 --generate uniform:2000 --estimate --samples 1 </dev/null
told seconds 0.7 1 --generate binary:40:0.4 --prove build/limits.prf </dev/null # a state of a gigabyte
told seconds 0.7 1 --generate complex-gauss:1500 --estimate --samples 256 </dev/null
fifo=build/limits.fifo
rm -f $fifo; mkfifo $fifo
for kind in int term seconds; do
  told $kind 0.3 1 $fifo </dev/null # nobody writes to it
  sleep 2 >$fifo &
  told $kind 0.3 1 - <$fifo # nothing comes
  wait
done
{ echo '1 2'; sleep 2; } >$fifo 2>/dev/null &
told seconds 0.3 1 $fifo </dev/null # half of it comes
wait
if [ "$1" = full ]; then
  told int 0.3 1 --generate 'er:54:0.3' --method dominating </dev/null
  told int 0.3 1 --generate uniform:40 --certify </dev/null
  told int 0.3 1 --generate uniform:36 --minors 3 </dev/null
  told int 0.3 1 --generate unitary:34 --gradient </dev/null
  told int 0.3 1 --generate bernoulli:50 --precision exact </dev/null
  for moment in 0.4 1 2 4; do
    told int $moment 1 --generate band:1000000:9 --write build/limits.mtx </dev/null
    told term $moment 1 --generate band:1000000:9 --spy build/limits.svg </dev/null
    told int $moment 1 --generate uniform:4000 --estimate --samples 1 </dev/null
    told seconds $moment 1 --generate blocks:100000:5:0.5 </dev/null
  done
  for moment in 3 6 9 15 25; do
    told int $moment 1 --generate arrow:1000000:5 </dev/null
  done
  row=$(awk 'BEGIN {for (i = 1; i <= 1000; i++) printf "%d ", i}')
  for moment in 0.3 1 2 5 10 20 40; do
    yes "$row" | head -c 2000000000 >$fifo &
    told int $moment 1 - <$fifo
    wait # else the next reader may get the rest of it
    { printf '%%%%MatrixMarket matrix coordinate pattern general\n40000 40000 100000000\n'
      awk 'BEGIN {for (i = 40000; i > 0; i--) for (j = 1; j <= 2500; j++) print i, j}'; } >$fifo &
    told int $moment 1 - <$fifo
    wait
  done
fi
rm -f $fifo build/limits.mtx build/limits.svg
echo "$passed passed, $failed failed, 0 skipped"
exit $((failed > 0))
# SPDX-License-Identifier: MIT
