#!/bin/sh
# Tests of perm_cuda.cu: that it compiles for every architecture of the installed nvcc, its twin, and GPUs if there are.
# Usage: tests/cuda/run.sh [quick]   quick: one architecture, a quarter of the longest test. REQUIRE=1: no skips.
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/gpu_cache
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [ -x "$nvcc" ]; then
  echo "SKIP cuda: no nvcc (the CUDA toolkit has it)"
  if [ "$REQUIRE" = 1 ]; then echo "0 passed, 1 failed, 0 skipped"; exit 1; fi
  echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
mode=$1 less= passed=0 failed=0
compile() { # compile NAME FILE FLAGS...: must succeed without a word
  name=$1 file=$2; shift 2
  if "$nvcc" "$@" -I. -c $file -o build/perm_cuda_check.o >build/nvcc.log 2>&1 && ! [ -s build/nvcc.log ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)); echo "FAIL compile $name"; head -n 20 build/nvcc.log
  fi
}
strict=-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion
archs=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_\([7-9][0-9]\|1[0-9][0-9]\)$/\1/p')
[ "$mode" = quick ] && less=-q archs=$(echo "$archs" | head -n 1)
compile plain perm_cuda.cu -O2 $strict
for arch in $archs; do
  compile "sm_$arch" tests/cuda/kernels.cu -O2 -arch=sm_$arch $strict
done
make -s build/tests_cuda NVCC="$nvcc" || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
parts=$(nproc 2>/dev/null || echo 1) part=0
[ "$parts" -gt 8 ] && parts=8
while [ $part -lt "$parts" ]; do
  build/tests_cuda -v $less -s $part/"$parts" $TESTS >build/tests_cuda.$part.log 2>&1 &
  part=$((part + 1))
done
wait
part=0 skipped=0
while [ $part -lt "$parts" ]; do
  log=build/tests_cuda.$part.log
  grep -E "^FAIL tests|repeat" $log | head -n 20
  line=$(tail -n 1 $log)
  case $line in
    *" passed, "*" failed, "*" skipped")
      set -- $line; passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5));;
    *) echo "FAIL tests_cuda, part $part of $parts, ended without its closing line"; failed=$((failed + 1));;
  esac
  part=$((part + 1))
done
cat build/tests_cuda.?.log >build/tests_cuda.log; rm -f build/tests_cuda.?.log
grep SKIP build/tests_cuda.log | sed 's/.*: //' | sort | uniq -c | sed 's/^ *\([0-9]*\)/SKIP \1 tests:/'
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
if [ "$mode" != quick ] && [ -x "$sanitizer" ] && ! grep -q "SKIP t_cuda_gpu_has" build/tests_cuda.log; then
  for tool in memcheck racecheck; do
    if "$sanitizer" --error-exitcode 1 --tool $tool build/tests_cuda t_cuda_gpu_each_kernel \
      >build/sanitizer.log 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1)); echo "FAIL compute-sanitizer $tool"; tail -n 20 build/sanitizer.log
    fi
  done
fi
[ "$REQUIRE" = 1 ] && grep SKIP build/tests_cuda.log | grep -qv "there is a GPU" && failed=$((failed + 1))
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
