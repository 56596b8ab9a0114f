#!/bin/sh
# Kills a random rank or the whole job (SIGKILL) at a random moment, once or twice, and goes on with another number of
# ranks: the bits must be those of one process. Usage: tests/mpi/kill.sh [ROUNDS (20)]
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
. tests/mpi/mpirun.sh
[ -z "$mpis" ] && { echo "SKIP kill: no MPI"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
rounds=${1:-20} passed=0 failed=0 round=0 all=0 killed=0 work=0
dir=build/mpi/kill; rm -rf $dir; mkdir -p $dir
random() { od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{print $1 % n}'; } # random N: 0 .. N - 1
jobs="uniform:25/dense complex-gauss:21/dense er:26:0.5/hybrid bernoulli:24/exact blocks:2:20:0.9/dense"
for job in $jobs; do
  build/tests_mpi.${mpis##* } --job ${job%/*} ${job#*/} "" $dir >$dir/expected.$(echo $job | tr ':/' '__') 2>$dir/err || {
    echo "FAIL $job alone:"; cat $dir/err; failed=$((failed + 1)); }
done
start() { # start RANKS: in the background; $run is its process
  rm -f $dir/[0-9]*
  $(mpirun_of $mpi) -np $1 build/tests_mpi.$mpi --job ${job%/*} ${job#*/} $dir/checkpoint $dir >$dir/out 2>$dir/err &
  run=$!
}
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  set -- $jobs; shift $(random $#); job=$1
  set -- $mpis; shift $(random $#); mpi=$1
  rm -f $dir/checkpoint*
  kills=$((1 + $(random 2)))
  while [ $kills -gt 0 ]; do
    kills=$((kills - 1)) ranks=$((1 + $(random 4)))
    start $ranks
    waited=0
    until [ -e $dir/$((ranks - 1)) ] && [ -e $dir/0 ]; do sleep 0.02; waited=$((waited + 1)); [ $waited -gt 1000 ] && break; done
    sleep $(random 400 | awk '{print $1 / 1000}')
    if kill -0 $run 2>/dev/null; then now=1; else now=0; fi
    victim=$(random $((ranks + 1)))
    if [ $victim -lt $ranks ]; then
      kill -KILL $(cat $dir/$victim) 2>/dev/null
    else
      kill -KILL $run $(cat $dir/[0-9]) 2>/dev/null
    fi
    wait $run 2>/dev/null
    for pid in $(cat $dir/[0-9] 2>/dev/null); do # mpirun ends the others; it may have been killed itself
      waited=0
      while kill -0 $pid 2>/dev/null; do sleep 0.02; waited=$((waited + 1)); [ $waited -gt 500 ] && break; done
    done
    all=$((all + 1)) killed=$((killed + now))
    [ -e $dir/checkpoint ] && [ $(wc -c <$dir/checkpoint) -gt 2168 ] && work=$((work + now))
  done
  start $((1 + $(random 4)))
  wait $run; code=$?
  if [ $code -eq 0 ] && cmp -s $dir/out $dir/expected.$(echo $job | tr ':/' '__'); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL round $round: $job, $mpi, exit $code"; cat $dir/out $dir/err | head -n 20
    cat $dir/expected.$(echo $job | tr ':/' '__')
    cp $dir/checkpoint $dir/failed.$round 2>/dev/null
  fi
done
echo "$killed of $all kills found the job running; $work of these left a checkpoint with work in it"
[ $((5 * work)) -ge "$rounds" ] || { failed=$((failed + 1)); echo "FAIL hardly any kill came at work"; }
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
