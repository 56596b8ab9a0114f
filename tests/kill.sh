#!/bin/sh
# Kills the command at random moments, with SIGKILL or SIGTERM, and goes on from its checkpoint with another number of
# threads, by the same command or by --resume: the bits of a run in peace. Usage: tests/kill.sh [ROUNDS [SEED]]
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
perm=$PWD/build/perm
rounds=${1:-20} seed=${2:-1}
dir=build/kill.$$
mkdir -p $dir
trap 'rm -rf $dir' EXIT
passed=0 failed=0 killed=0 stopped=0 most=30
random() { # random N: $r in 0 .. N - 1
  seed=$(((seed * 1103515245 + 12345) % 2147483648)); r=$((seed / 65536 % $1))
}
result() { sed 's/,"threads".*,"terms"/,"terms"/; s/,"plan_seconds".*"status"/,"status"/' "$1"; }
fail() { failed=$((failed + 1)); echo "FAIL round $round ($job, seed $start): $*"; }
round=0
while [ $round -lt "$rounds" ]; do
  case $((round % 5)) in
    0) job="uniform:24 --isa plain";;
    1) job="complex-gauss:21 --isa plain";;
    2) job="er:28:0.4 --method hybrid --isa plain";;
    3) job="bernoulli:23 --method exact --isa plain";;
    *) job="blocks:3:23:0.95 --method dense --isa plain";;
  esac
  reference=$dir/reference.$((round % 5)) file=$dir/$round.ck start=$seed
  [ -s $reference ] || { $perm --generate $job --threads 2 --json >$dir/out && result $dir/out >$reference; }
  tries=0 code=none
  while :; do
    random 3; threads=$((r + 1))
    random 2
    if [ $r -eq 0 ] && [ -f $file ]; then arguments="--resume $file"; else arguments="--generate $job --checkpoint $file"; fi
    $perm $arguments --checkpoint-seconds 0.02 --threads $threads --json >$dir/out 2>$dir/err &
    process=$!
    if [ $tries -lt 4 ]; then
      random 3; signal=KILL
      [ $r -eq 0 ] && signal=TERM
      random $most # as long as this machine takes, about
      sleep "0.$(printf %02d $r)"
      kill -$signal $process 2>/dev/null
    fi
    wait $process 2>/dev/null
    code=$?
    case $code in
      0) [ $tries -lt 4 ] && [ $most -gt 3 ] && most=$((most * 3 / 4)); break;;
      1) stopped=$((stopped + 1)); grep -q "perm --resume $file\|the same command again" $dir/err || { fail "no word on how to resume"; break; };;
      137 | 143) killed=$((killed + 1)) most=$((most + 1));; # by SIGTERM only before it is caught
      *) fail "exit $code: $(cat $dir/err)"; break;;
    esac
    tries=$((tries + 1))
  done
  if [ "$code" = 0 ]; then
    result $dir/out >$dir/result
    $perm --resume $file --json >$dir/again 2>&1 # the file of a finished job is its answer
    if ls $file.*.tmp >/dev/null 2>&1; then fail "a killed process's file is left: $(ls $file.*)"; fi
    if cmp -s $dir/result $reference && result $dir/again | cmp -s - $reference; then passed=$((passed + 1)); else
      fail "other bits"; cat $dir/out $reference $dir/again; fi
  fi
  round=$((round + 1))
done
echo "$killed kills, $stopped stops with a word, $rounds jobs"
if [ "$rounds" -ge 10 ] && { [ $killed -lt $((rounds / 2)) ] || [ $stopped -eq 0 ]; }; then
  failed=$((failed + 1)); echo "FAIL kills: too few to show anything"; fi
echo "$passed passed, $failed failed, 0 skipped"
exit $((failed > 0))
# SPDX-License-Identifier: MIT
