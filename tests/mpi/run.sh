#!/bin/sh
# Tests of perm_mpi.c with every MPI there is: bits, stops, faults, the command, kills; a thousand simulated ranks; that
# it compiles as C99 and C++11 without a warning. Usage: tests/mpi/run.sh [full]   full: all ranks with all threads, 200
# kills. REQUIRE=1: nothing may be skipped. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
. tests/mpi/mpirun.sh
mode=$1 passed=0 failed=0 skipped=0
out=build/mpi/run; mkdir -p $out
add() { # add LOG NAME: its closing line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' $1 | tail -n 1)
  if [ -z "$line" ]; then
    failed=$((failed + 1)); echo "FAIL $2 ended without its closing line"; tail -n 20 $1
  else
    set -- $line "$@"
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
    [ $3 -eq 0 ] || { echo "FAIL $8"; grep -A 1 FAIL $7 | head -n 20; }
  fi
}
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }

make -s build/simulate_mpi && build/simulate_mpi >$out/simulate 2>&1
add $out/simulate "a thousand simulated ranks"; head -n 1 $out/simulate
if [ -z "$mpis" ]; then
  echo "SKIP mpi: no MPI (apt-get install libopenmpi-dev openmpi-bin, or mpich)"
  if [ "$REQUIRE" = 1 ]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi
  echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit
fi

for mpi in $mpis; do
  make -s build/tests_mpi.$mpi build/perm_mpi.$mpi >$out/log 2>&1 && ! [ -s $out/log ] && continue
  failed=$((failed + 1)); echo "FAIL building with $mpi"; head -n 20 $out/log
done
# beside all else: mostly asleep
sh tests/mpi/kill.sh $([ "$mode" = full ] && echo 200 || echo 20) >$out/kill 2>&1 &

# warnings: the declarations and the code, in both languages
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I."
cat >$out/user.c <<'C'
#include "perm_mpi.c"
extern perm_status (*const used)(MPI_Comm, const perm_matrix *, const perm_options *, perm_result *);
perm_status (*const used)(MPI_Comm, const perm_matrix *, const perm_options *, perm_result *) = perm_mpi_sparse;
C
for mpi in $mpis; do
  include=$($(mpicc_of $mpi) -show | tr ' ' '\n' | grep '^-I')
  for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    [ "$mode" = full ] || [ $compiler = gcc ] || [ $mpi = ${mpis##* } ] || continue
    for source in perm_mpi.c "-DPERM_MPI_MAIN perm_mpi.c" "-DPERM_MPI_TESTS perm_mpi.c" $out/user.c; do
      check "$compiler, C99, $mpi, $source" $compiler -std=c99 $strict $include $source
      case $source in *MAIN*) continue;; esac # the command is C
      check "$compiler, C++11, $mpi, $source" $compiler -x c++ -std=c++11 $strict $include $source
    done
  done
done

for mpi in $mpis; do
  run=$(mpirun_of $mpi)
  for ranks in 1 2 3 4; do
    for threads in 1 2; do
      filter=bits # all tests with one MPI and three ranks, and with the other and two
      case $mode.$threads.$mpi.$ranks in full.* | .1.openmpi.3 | .1.mpich.2 | .1.default.3) filter="";; esac
      $run -np $ranks build/tests_mpi.$mpi -t $threads $filter >$out/tests 2>&1
      add $out/tests "$mpi, $ranks ranks, $threads threads"
    done
  done
  # the command: values, errors and exit codes of build/perm
  for arguments in "--generate uniform:27" "--generate bernoulli:26" "--generate er:26:0.5 --method hybrid" \
                   "--generate grid:8:8" "--generate uniform:8 --rows 2,1,1,1,1,1,1,0" "--generate uniform:6 --minors 2" \
                   "--generate ones:5 --mod 7"; do
    build/perm $arguments --json >$out/one 2>&1; code=$?
    $run -np 3 build/perm_mpi.$mpi $arguments --json >$out/three 2>$out/err
    check "$mpi: exit code of perm $arguments" test $? -eq $code
    for file in $out/one $out/three; do
      sed 's/"threads":[0-9]*,//; s/"plan_seconds":[^,]*,//; s/"seconds":[^,]*,//' $file >$file.same
    done
    check "$mpi: perm $arguments" cmp $out/one.same $out/three.same
    check "$mpi: perm $arguments says something" test -s $out/three.same
  done
  $run -np 2 build/perm_mpi.$mpi no_such_file >$out/three 2>&1
  check "$mpi: exit code of a missing file" test $? -eq 4
  check "$mpi: words about a missing file" grep -q "^perm: no_such_file: " $out/three
  $run -np 2 build/perm_mpi.$mpi --no-such-option >$out/three 2>&1
  check "$mpi: exit code of a bad option" test $? -eq 2
  $run -np 2 build/perm_mpi.$mpi --version >$out/three 2>&1
  check "$mpi: --version" grep -q "^perm [0-9]" $out/three
done
# a signal on its way to the ranks: a checkpoint, exit code 1 (MPICH's mpirun forgets it), and one process goes on
value_of() { grep -o '"value":"[^"]*"'; }
build/perm --generate uniform:31 --method dense --json | value_of >$out/value
for mpi in $mpis; do
  rm -f $out/signal*
  $(mpirun_of $mpi) -np 2 build/perm_mpi.$mpi --generate uniform:31 --method dense --threads 1 --checkpoint $out/signal >$out/three 2>&1 &
  run=$! waited=0
  until [ -e $out/signal ] || [ $waited -gt 1000 ]; do sleep 0.02; waited=$((waited + 1)); done
  sleep 0.1; kill -USR1 $run; wait $run; code=$?
  check "$mpi: exit code after a signal" test $code -eq 1 -o $mpi = mpich
  check "$mpi: words after a signal" grep -q 'what is finished is kept; to go on: perm --resume' $out/three
  $(mpirun_of $mpi) -np 3 build/perm_mpi.$mpi --resume $out/signal --threads 1 --max-seconds 0.1 --json >$out/three 2>&1
  check "$mpi: --max-seconds" grep -q PERM_STOPPED_TIME $out/three
  build/perm --resume $out/signal --json | value_of >$out/one
  check "$mpi: resumed" cmp $out/value $out/one
done
# the Slurm scripts, with an srun that just starts the command
mkdir -p $out/bin
printf '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\n$RUN "$@"\n' >$out/bin/srun
printf '#!/bin/sh\necho "$@" >>requeued\n' >$out/bin/scontrol
chmod +x $out/bin/srun $out/bin/scontrol
(
  cd $out && rm -rf parts build requeued perm-* && mkdir build || exit 1
  cp ../../perm build/; cp ../../perm_mpi.${mpis##* } build/perm_mpi
  build/perm --generate uniform:24 --write uniform.mtx --json >/dev/null
  export PATH=$PWD/bin:$PATH SLURM_CPUS_PER_TASK=1 SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=8 PARTS=3 USER=nobody ISA=plain
  export RUN=""
  for SLURM_ARRAY_TASK_ID in 1 2 3; do
    export SLURM_ARRAY_TASK_ID
    bash ../../../examples/slurm_array.sh uniform.mtx
  done
  build/perm --merge parts/*.checkpoint --json | value_of >merged
  RUN="$(mpirun_of ${mpis##* }) -np 2"
  bash ../../../examples/slurm_mpi.sh uniform.mtx
  value_of <perm-7.json >ranks
  rm perm-7.checkpoint
  bash ../../../examples/slurm_gpu.sh uniform.mtx
  value_of <perm-7.json >gpu
) >$out/slurm 2>&1
build/perm --generate uniform:24 --json --isa plain | value_of >$out/value.plain
build/perm --generate uniform:24 --json | value_of >$out/value
check "examples/slurm_array.sh" cmp $out/merged $out/value.plain
check "examples/slurm_mpi.sh" cmp $out/ranks $out/value
check "examples/slurm_gpu.sh, a job too small for GPUs" cmp $out/gpu $out/value
wait
add $out/kill "kills"; grep ' kills ' $out/kill
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
