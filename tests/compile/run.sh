#!/bin/sh
# The form: both headers compile warnings-clean in every dialect and compiler at hand, vendored in a subfolder,
# renamed, in two translation units, static; the kernels do not spill in their row loops.
# Usage: tests/compile/run.sh [quick]     quick: dialects at -O0, spills at -O2 only
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/compile
mkdir -p $out/vendored
cp perm.h $out/vendored/renamed_permanent.h
warnings="-Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion"
passed=0 failed=0 skipped=0
try() { # try NAME COMMAND...: runs it, counts it, shows its output only when it fails
  name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $name: $*"; head -n 20 $out/log; fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1"; }

build_pair() { # COMPILER STANDARD LEVEL: two units, vendored and renamed, linked and run
  language=c; case $2 in *++*) language=c++;; esac
  for unit in user_a user_b; do
    $1 -x $language -std=$2 $3 $warnings -I$out -c tests/compile/$unit.c -o $out/$unit.o || return 1
  done
  $1 $out/user_a.o $out/user_b.o -o $out/pair -lm && $out/pair
}
build_static() {
  language=c; case $2 in *++*) language=c++;; esac
  $1 -x $language -std=$2 $3 $warnings -I. -c tests/compile/user_static.c -o $out/static.o &&
    $1 $out/static.o -o $out/static -lm && $out/static
}

levels="-O1 -O2 -O3" spill_levels="-O1 -O2 -O3"
[ "$1" = quick ] && levels="-O0" spill_levels="-O2"
for pair in gcc:c99 gcc:c11 g++:c++11 clang:c99 clang:c11 clang++:c++11; do
  compiler=${pair%%:*} standard=${pair#*:}
  if ! command -v $compiler >/dev/null; then skip "$pair: install $compiler"; continue; fi
  for level in $levels; do
    try "pair $pair $level" build_pair $compiler $standard $level
    try "static $pair $level" build_static $compiler $standard $level
  done
done

# Spills: least = multiplies of one row (or pair of rows) of the kernel.
echo '#define PERM_IMPLEMENTATION
#include "perm.h"' >$out/kernels.c
if ! command -v objdump >/dev/null || [ "$(uname -m)" != x86_64 ]; then
  skip "spills: needs objdump and an x86-64 compiler"
else
  for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then skip "spills $compiler: install $compiler"; continue; fi
    for level in $spill_levels; do
      $compiler -std=c99 $level -I. -c $out/kernels.c -o $out/kernels.o &&
        objdump -d --no-show-raw-insn $out/kernels.o >$out/kernels.s
      for kernel in permi_glynn_real_avx512_k3:16 permi_glynn_real_avx512_k2:8 permi_glynn_real_avx2_k2:8 \
        permi_glynn_pair_avx512_k3:16 permi_glynn_pair_avx512_k2:8 permi_glynn_pair_avx2_k2:8; do
        try "spills $compiler $level $kernel" awk -v kernel=${kernel%:*} -v least=${kernel#*:} \
          -f tests/compile/spills.awk $out/kernels.s
        [ -z "$verbose" ] || cat $out/log
      done
    done
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
