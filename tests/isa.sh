#!/bin/sh
# Kernel families, forced one by one and compared with oracles and each other: those of this machine, then NEON under
# emulation (a cross compiler and qemu; without them counted as skipped).
# Usage: [REQUIRE=1] tests/isa.sh [native|neon|full]    native, neon: one of the two; full: neon, every test
# REQUIRE=1: what is missing is a failure. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
# Tests that force families or have the default one against an oracle; those that take long only in full.
tests="t_every_engine t_every_kernel t_ones t_derangements t_power_of_two t_extreme_entries t_estimate t_graded
  t_bounds_for_free t_bounds_of_fourier t_small_random t_splits_give t_sum"
passed=0 failed=0 skipped=0
run() { # run COMMAND...: a test program; adds up its closing line
  "$@" >build/isa.log 2>&1
  code=$?
  line=$(tail -n 1 build/isa.log)
  sed '$d' build/isa.log
  case $line in
    *" passed, "*" failed, "*" skipped")
      set -- $line
      passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
      [ "$3" -eq 0 ] && [ $code -ne 0 ] && failed=$((failed + 1));;
    *) failed=$((failed + 1)); echo "$line"; echo "FAIL $1 ended without its closing line (exit $code)";;
  esac
}

if [ "$1" != neon ] && [ "$1" != full ]; then
  echo "== families of this machine ($(uname -m))"
  run build/tests -v $tests
fi
if [ "$1" != native ]; then
  cross=aarch64-linux-gnu-gcc
  qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
  case $(uname -m) in
    aarch64 | arm64) echo "== NEON is a family of this machine: nothing to emulate";;
    *)
      if ! command -v $cross >/dev/null || [ -z "$qemu" ] ||
        ! echo 'int main(void) { return 0; }' | $cross -static -x c - -o build/isa_probe 2>/dev/null; then
        echo "SKIP neon under emulation: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user (make setup)"
        if [ -n "$REQUIRE" ]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi
      else
        echo "== NEON under $(basename "$qemu")"
        # gnu11 -O2: where gcc contracts products and sums unless told not to, which it must not do to error terms
        if $cross -std=gnu11 -O2 -Wall -Wextra -Wshadow -Werror -static -I. -Itests tests/all.c -o build/tests_neon -lm
        then
          if [ "$1" = full ]; then run "$qemu" build/tests_neon; else run "$qemu" build/tests_neon -v $tests; fi
        else
          failed=$((failed + 1))
          echo "FAIL build of the tests for aarch64"
        fi
      fi;;
  esac
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
