#!/bin/sh
# Lines, branches and MC/DC of the three headers and the command that the tests run, by clang 18 or later.
# Usage: tests/house/coverage.sh [report]     report: of the counts that build/coverage has, without a run
# A table by room; then build/coverage/left.txt: lines not run, ways not taken, conditions whose effect no test shows.
# A branch is one way out of one condition: each operand of && and || has two, each case of a switch has two (there,
# elsewhere). MC/DC, of the rooms that read what others wrote: an operand counts if two runs that differ in it alone
# (or in what is not evaluated) decide otherwise. Kernels are lines of src/kernels, run or not by any instance; lines
# that this compiler does not see (NEON, Windows) do not count. Programs are added: the tests, the command, the
# harnesses of tests/attack/fuzz with their seeds, and with nvcc the twins of the kernels for GPUs.
# tests/house/unreached.txt lists lines with ways, or conditions, that no test can take or show, with the reason. Such a
# way is not taken, and does not count where 95 % are asked for. An entry fails if its line is gone, or has nothing
# open. Fails below 98 % of either header's lines and 95 % of the branches that are not listed.
# What else is left: calls of the CUDA driver and plans for GPUs (make check-cuda), answers of other processors, offers
# that blocks of hundreds of lines get, guards of sizes over 2^63, `default:` of switches over enumerations, and pairs of
# system calls of which the second fails.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/coverage
for clang in "$CLANG" clang clang-21 clang-20 clang-19 clang-18; do
  version=$("$clang" -dumpversion 2>/dev/null) && [ "${version%%.*}" -ge 18 ] && break
  version=""
done
suffix=${clang#clang}
command -v llvm-cov$suffix >/dev/null || suffix=-${version%%.*}
if [ -z "$version" ] || ! command -v llvm-cov$suffix llvm-profdata$suffix >/dev/null; then
  echo "SKIP coverage: needs clang 18 or later with llvm-cov (apt-get install clang-19 llvm-19)"
  [ -z "$REQUIRE" ]; failed=$?
  echo "0 passed, $failed failed, $((1 - failed)) skipped"
  exit $failed
fi

# Tests of the readers, in a program without OpenMP: with both, clang 19 fails on MC/DC.
fuzzers="io checkpoint cli proof"
readers="io|read|market|plain_text|graph|dimacs|numpy|matrix|state|checkpoint|proof"
count() { # LOG PROGRAM COMMAND...: in a directory where the tests may write; processes add their counts
  log=$out/$1.log program=$2; shift 2
  (cd $out/here && LLVM_PROFILE_FILE="$(dirname "$PWD")/$program.%m.profraw" OMP_WAIT_POLICY=passive "$@") >$log 2>&1 &&
    return
  grep -h -A9 FAIL $log || tail -n 5 $log
  echo "FAIL $program"; touch $out/failed
}
if [ "$1" != report ]; then
  rm -rf $out; mkdir -p $out/here/build/gpu_cache $out/fuzz # tests write to build/: not where other test programs do
  ln -s ../../../tests $out/here/tests; ln -s ../../../examples $out/here/examples
  flags="-w -fprofile-instr-generate -fcoverage-mapping"
  nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  # Another clang's OpenMP does: two of them are not installed at once.
  openmp() {
    echo 'int main(void) { return 0; }' | $clang -x c -fopenmp "$@" - -o /dev/null 2>/dev/null && echo -fopenmp "$@"
  }
  threads=$(openmp) || for omp in /usr/lib/llvm-*/lib; do
    threads=$(openmp -L$omp -idirafter $omp/clang/*/include) && break
  done
  build() { make -s B=$out CC=$clang CFLAGS="$level $flags" LDFLAGS="$level $flags" NVCC="$nvcc" \
    FUZZ="$clang -std=gnu11 $level $flags -I." "$@" 2>$out/build.log || { tail $out/build.log; exit 1; }; }
  level=-O1 # the longest run
  build OPENMP="$threads" $out/tests $([ -x "$nvcc" ] && echo $out/tests_cuda)
  mv $out/tests $out/tests_threads
  level="-O0 -fcoverage-mcdc"
  build OPENMP= $out/tests $out/perm $out/false_proofs
  cp $out/perm.o $out/fuzz # one library for all
  build OPENMP= $(for name in $fuzzers; do echo $out/fuzz/fuzz_$name; done)
  mv $out/fuzz/fuzz_* $out
  count tests_threads.0 tests_threads ../tests_threads -s 0/2 &
  count tests_threads.1 tests_threads ../tests_threads -s 1/2 &
  [ ! -x $out/tests_cuda ] || count tests_cuda tests_cuda ../tests_cuda &
  count tests tests ../tests -q $(grep -lE ">>($readers)\>" tests/unit/t_*.c | xargs sed -n 's/^TEST(\(.*\))/\1/p')
  count perm perm env PERM=$out/perm CLI_DIRECTORY=$out/cli sh ../../../tests/cli.sh
  for name in $fuzzers; do
    count fuzz_$name fuzz_$name ../fuzz_$name 5000
    for input in tests/attack/fuzz/crashers/$name-*; do
      [ ! -e "$input" ] || count fuzz_$name fuzz_$name ../fuzz_$name "$input"
    done
  done
  count false_proofs false_proofs ../false_proofs 3000
  wait
fi
for program in $(ls $out/*.profraw | sed 's/\.[^.]*\.profraw$//' | sort -u); do
  llvm-profdata$suffix merge -o $program.profdata $program.*.profraw || exit 1
  for file in perm.h perm_sparse.h perm_more.h examples/command/perm_cli*.h examples/command/perm_cli.c examples/perm_verify.c; do
    echo "/$file:" # llvm-cov names a file only where there are several; most programs have no command
    llvm-cov$suffix show $program -instr-profile=$program.profdata --show-branches=count --show-mcdc \
      --show-instantiations=false $file 2>>$out/show.log
  done
done >$out/shown
awk -v lines_least=98 -v ways_least=95 -v readers="^($readers|perm_cli_options.h|perm_verify.c)\$" \
  -v gpu="$(ls $out/tests_cuda 2>/dev/null)" -v left=$out/left.txt \
  -f tests/house/coverage.awk perm.h perm_sparse.h perm_more.h tests/house/unreached.txt $out/shown && [ ! -e $out/failed ]
# SPDX-License-Identifier: MIT
