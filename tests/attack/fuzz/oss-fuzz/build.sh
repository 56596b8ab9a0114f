#!/bin/bash
# The fuzzers as OSS-Fuzz builds them: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT are those of its
# base image. tests/attack/fuzz/hours.sh gives the same names to clang's libFuzzer. FUZZERS: some of them.
set -eu
cd "${PERM_TREE:-$SRC/perm}"
WORK=${WORK:-$OUT}
here=tests/attack/fuzz/oss-fuzz
flags="-std=gnu11 -I. $CFLAGS"
echo '#include "perm_more.h"' | $CC $flags -DPERM_IMPLEMENTATION -x c -c - -o $WORK/perm.o
for name in ${FUZZERS:-io checkpoint sparse dense cli proof}; do
  linked="-DPERM_FUZZ_LINKED" object=$WORK/perm.o
  [ $name = checkpoint ] && linked="" object="" # it looks inside, and has an implementation of its own
  $CC $flags $linked -c tests/attack/fuzz/fuzz_$name.c -o $WORK/fuzz_$name.o
  $CXX $CXXFLAGS $WORK/fuzz_$name.o $object -o $OUT/fuzz_$name $LIB_FUZZING_ENGINE -lm -lpthread
  [ -f $here/fuzz_$name.dict ] && cp $here/fuzz_$name.dict $OUT/
  [ -f $here/fuzz_$name.options ] && cp $here/fuzz_$name.options $OUT/
  seeds=$WORK/seeds_$name
  rm -rf $seeds && mkdir -p $seeds
  FUZZ_SEEDS=$seeds $OUT/fuzz_$name -runs=0 >$WORK/fuzz_$name.seeds.log 2>&1
  for crasher in tests/attack/fuzz/crashers/$name-*; do [ -f "$crasher" ] && cp "$crasher" $seeds/; done
  if [ $name = io ]; then
    [ -x "${PERM_COMMAND:=$WORK/perm}" ] || ${CC} -O1 -std=c99 -I. examples/command/perm_cli.c -o $WORK/perm -lm
    python3 $here/seeds.py "$PERM_COMMAND" $seeds
  fi
  rm -f $OUT/fuzz_${name}_seed_corpus.zip
  python3 -m zipfile -c $OUT/fuzz_${name}_seed_corpus.zip $seeds/*
done
# SPDX-License-Identifier: MIT
