#!/bin/sh
# libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer, FUZZ_SECONDS (3600) for each of FUZZERS, one after the
# other, by FUZZ_JOBS (1) processes each; built by tests/attack/fuzz/oss-fuzz/build.sh as OSS-Fuzz does it. Corpora go
# on from run to run in build/corpus, findings are in build/corpus/NAME.found. Exits 1 if there are any.
# FUZZ_SANITIZE=address: without the other, with which clang 14 takes more than half an hour.
#   hours.sh build   builds only, into build/oss; hours.sh run   runs what stands there, on any machine, without clang
cd "$(dirname "$0")/../../.." || exit 1
clang=${CLANG:-clang} # clang-19, for instance
clangxx=$(echo "$clang" | sed 's/clang\([^/]*\)$/clang++\1/')
seconds=${FUZZ_SECONDS:-3600} jobs=${FUZZ_JOBS:-1} found=0 out=$PWD/build/oss # absolute: fuzz_cli changes its directory
FUZZERS=${FUZZERS:-io checkpoint sparse dense cli proof}
if [ "$1" != run ]; then
  if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) {return d && n > 9 ? 0 : 0;}' |
       $clang -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
    echo "SKIP fuzzing by libFuzzer: apt-get install clang libclang-rt-dev"; test "$REQUIRE" != 1; exit
  fi
  mkdir -p $out/work
  sanitize="-O1 -fno-omit-frame-pointer -gline-tables-only -fno-sanitize-recover=all"
  sanitize="$sanitize -fsanitize=${FUZZ_SANITIZE:-address,undefined}"
  FUZZERS="$FUZZERS" PERM_TREE=$PWD SRC=$PWD OUT=$out WORK=$out/work CC=$clang CXX=$clangxx \
    CFLAGS="$sanitize -fsanitize=fuzzer-no-link" CXXFLAGS="$sanitize -fsanitize=fuzzer-no-link" \
    LIB_FUZZING_ENGINE=-fsanitize=fuzzer bash tests/attack/fuzz/oss-fuzz/build.sh || exit 1
fi
[ "$1" = build ] && exit
for name in $FUZZERS; do
  corpus=$PWD/build/corpus/$name
  mkdir -p $corpus $corpus.found
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \
    $out/fuzz_${name}_seed_corpus.zip $corpus || exit 1
  dictionary=; [ -f $out/fuzz_$name.dict ] && dictionary=-dict=$out/fuzz_$name.dict
  $out/fuzz_$name -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$seconds" \
    -timeout=25 -rss_limit_mb=3000 -len_control=5 -max_len="$(sed -n 's/^max_len = //p' $out/fuzz_$name.options)" \
    $dictionary -artifact_prefix=$corpus.found/ $corpus >$corpus.log 2>&1
  echo "$name: $seconds s of $jobs processes; $(grep '^#[0-9]*: cov' $corpus.log | tail -n 1)"
  for input in $corpus.found/crash-* $corpus.found/leak-* $corpus.found/timeout-* $corpus.found/oom-*; do
    [ -f "$input" ] && { echo "FOUND $input"; found=1; }
  done
done
exit $found
# SPDX-License-Identifier: MIT
