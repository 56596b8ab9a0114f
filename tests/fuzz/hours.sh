#!/bin/sh
# libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer, FUZZ_SECONDS (3600) for each of FUZZERS, one after the
# other; corpora go on from run to run in build/corpus, findings are in build/corpus/NAME.found. Exits 1 if there are any.
cd "$(dirname "$0")/../.." || exit 1
clang=${CLANG:-clang} seconds=${FUZZ_SECONDS:-3600} found=0
if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) {return d && n > 9 ? 0 : 0;}' |
     $clang -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "SKIP fuzzing by libFuzzer: apt-get install clang libclang-rt-dev"; test "$REQUIRE" != 1; exit
fi
flags="-std=gnu11 -g -O1 -fopenmp -fsanitize=address,undefined -fno-sanitize-recover=all -I."
echo 'int main(void) {return 0;}' | $clang -x c -fopenmp - -o /dev/null 2>/dev/null || flags=$(echo "$flags" | sed 's/-fopenmp//')
mkdir -p build/fuzz build/corpus
echo '#include "perm_sparse.h"' |
  $clang $flags -fsanitize=fuzzer-no-link -DPERM_IMPLEMENTATION -x c -c - -o build/fuzz/perm_coverage.o || exit 1
for name in ${FUZZERS:-io checkpoint sparse dense cli}; do
  case $name in
    checkpoint) linked="" length=8192;;
    io) linked="-DPERM_FUZZ_LINKED build/fuzz/perm_coverage.o" length=4096;;
    *) linked="-DPERM_FUZZ_LINKED build/fuzz/perm_coverage.o" length=400;;
  esac
  $clang $flags -fsanitize=fuzzer tests/fuzz/fuzz_$name.c $linked -o build/fuzz/$name -lm -lpthread || exit 1
  mkdir -p build/corpus/$name build/corpus/$name.found
  FUZZ_SEEDS=build/corpus/$name build/fuzz/$name -runs=0 2>/dev/null
  build/fuzz/$name -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$seconds" -timeout=25 \
    -rss_limit_mb=3000 -len_control=5 -max_len=$length -artifact_prefix=build/corpus/$name.found/ build/corpus/$name \
    >build/corpus/$name.log 2>&1
  echo "$name: $seconds s; $(grep '^#[0-9]*: cov' build/corpus/$name.log | tail -n 1)"
  for input in build/corpus/$name.found/crash-* build/corpus/$name.found/leak-* build/corpus/$name.found/timeout-* \
               build/corpus/$name.found/oom-*; do
    [ -f "$input" ] && { echo "FOUND $input"; found=1; }
  done
done
exit $found
# SPDX-License-Identifier: MIT
