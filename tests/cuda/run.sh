#!/bin/sh
# Tests of perm_cuda.cu: that it compiles for every architecture of the installed nvcc, its twin, and GPUs if there are.
# Usage: tests/cuda/run.sh [quick]   quick: one architecture. REQUIRE=1: nothing may be skipped.
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/gpu_cache
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [ -x "$nvcc" ]; then
  echo "SKIP cuda: no nvcc (the CUDA toolkit has it)"
  if [ "$REQUIRE" = 1 ]; then echo "0 passed, 1 failed, 0 skipped"; exit 1; fi
  echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
passed=0 failed=0
compile() { # compile NAME FLAGS...: must succeed without a word
  name=$1; shift
  if "$nvcc" "$@" -c perm_cuda.cu -o build/perm_cuda_check.o >build/nvcc.log 2>&1 && ! [ -s build/nvcc.log ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)); echo "FAIL compile $name"; head -n 20 build/nvcc.log
  fi
}
strict=-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion
archs=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_\([7-9][0-9]\|1[0-9][0-9]\)$/\1/p')
[ "$1" = quick ] && archs=$(echo "$archs" | head -n 1)
compile plain -O2 $strict
for arch in $archs; do
  compile "sm_$arch" -O2 -arch=sm_$arch -DPERM_CUDA_CHECK $strict
done
make -s build/tests_cuda NVCC="$nvcc" || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
build/tests_cuda $TESTS >build/tests_cuda.log 2>&1
code=$?
line=$(tail -n 1 build/tests_cuda.log)
grep -E "FAIL|SKIP|repeat" build/tests_cuda.log
case $line in
  *" passed, "*" failed, "*" skipped") set -- $line;;
  *) echo "FAIL tests_cuda ended without its closing line (exit $code)"; set -- 0 passed, 1 failed, 0 skipped;;
esac
[ "$REQUIRE" = 1 ] && [ "$5" -ne 0 ] && failed=$((failed + 1))
echo "$((passed + $1)) passed, $((failed + $3)) failed, $5 skipped"
[ $((failed + $3)) -eq 0 ]
