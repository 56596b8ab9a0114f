#!/bin/sh
# Kernel families. Those of this machine, forced one by one and compared with oracles and each other; the unit tests as
# on lesser processors, whose families are all there is (build/tests --hide); NEON under emulation (a cross compiler and
# qemu; without them counted as skipped).
# Usage: [REQUIRE=1] tests/isa.sh [few|quick|native|hidden|neon|full]
#   (nothing)  native; hidden, every unit test; neon: a selection
#   quick      for `make check-ci`, which runs all unit tests natively anyway: hidden, a selection without long ones
#   few        for `make check`: hidden, a few tests of its own build at -O1, and no emulator
#   native, hidden, neon: one of them; full: neon, every test
# REQUIRE=1: what is missing is a failure. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
mode=$1 program=build/tests
export OMP_WAIT_POLICY=passive # more threads than cores
# Tests that force families or have the default one against an oracle; those that take long only in full.
tests="t_isa t_every_engine t_every_kernel t_ones t_derangements t_power_of_two t_extreme_entries t_estimate t_graded
  t_bounds_for_free t_bounds_of_fourier t_small_random t_splits_give t_sum"
# On lesser processors, quick: what runs kernels of a family, 10 to 15 s.
selection="t_isa t_every t_ones t_derangements t_identities t_power_of_two t_extreme t_estimate t_graded t_bounds
  t_small t_splits t_exact t_minors t_batch t_hybrid t_complex t_ladder t_factorials t_rect t_normalised t_entries t_what
  t_tolerance t_one_line t_another t_arrays_integers t_arrays_match t_repeats t_state t_job t_engines_match t_checkpoint_str"
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

does() { case " ${mode:-native hidden neon} " in *" $1 "*) ;; *) false;; esac; }
# Every kernel once, and what chooses among families.
few="t_isa t_every_kernel t_ones t_small_random t_exact_takes t_minors_zeros t_batch_integers t_hybrid_programs
  t_arrays_integers t_sum"
case $mode in
  few) mode=hidden selection="-q $few" program=build/tests_O1;;
  quick) mode=hidden selection="-q $selection";;
  *) selection="";;
esac
[ "$mode" = full ] && mode=neon tests=""

if does native || does hidden; then
  make -s "$program" || exit 1
fi
if does native; then
  echo "== families of this machine ($(uname -m))"
  run build/tests -v $tests
fi
if does hidden; then
  # What the processor is said not to have; the C library is told the same, whose functions have families too.
  best() { "$@" -v t_isa_hidden | sed -n 's/.*the best is //p'; }
  here=$(best $program)
  for feature in avx512ifma avx512 avx2; do
    left=$(best $program --hide $feature)
    [ "$left" = "$here" ] && continue # nothing to hide
    case $feature in
      avx512ifma) library=-AVX512IFMA;;
      avx512) library=-AVX512F;;
      avx2) library=-AVX512F,-AVX2,-AVX2_Usable,-FMA,-FMA_Usable;;
    esac
    echo "== as on a processor without $feature, whose best is ${left:-?}"
    run env GLIBC_TUNABLES=glibc.cpu.hwcaps=$library $program --hide $feature $selection
  done
  # The same from an emulator, which knows nothing of --hide: processors without AVX, and with AVX2
  qemu=$(command -v qemu-x86_64 || command -v qemu-x86_64-static)
  if [ -n "$qemu" ] && [ "$(uname -m)" = x86_64 ] && [ $program = build/tests ]; then
    for cpu in Nehalem:plain Haswell:avx2; do
      is=$(best "$qemu" -cpu ${cpu%:*} build/tests 2>build/isa.log)
      case $is in
        "${cpu#*:}") echo "== ${cpu%:*} under $(basename "$qemu"): $is"; run "$qemu" -cpu ${cpu%:*} build/tests t_isa t_small_p;;
        plain) echo "== this $(basename "$qemu") has no AVX2";; # before version 7.2
        *) failed=$((failed + 1)); echo "FAIL ${cpu%:*} under $(basename "$qemu"): ${is:-no family}"; cat build/isa.log;;
      esac
    done
  fi
fi
if does neon; then
  cross=aarch64-linux-gnu-gcc
  qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
  case $(uname -m) in
    aarch64 | arm64) echo "== NEON is a family of this machine: nothing to emulate";;
    *)
      if ! command -v $cross >/dev/null || [ -z "$qemu" ] ||
        ! echo 'int main(void) { return 0; }' | $cross -static -x c - -o build/isa_probe 2>/dev/null; then
        echo "SKIP neon under emulation: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user (make setup-ci)"
        if [ -n "$REQUIRE" ]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi
      else
        echo "== NEON under $(basename "$qemu")"
        # gnu11 -O2: where gcc contracts products and sums unless told not to, which it must not do to error terms
        if $cross -std=gnu11 -O2 -Wall -Wextra -Wshadow -Werror -static -I. tests/unit/all.c -o build/tests_neon -lm
        then
          run "$qemu" build/tests_neon ${tests:+-v $tests}
        else
          failed=$((failed + 1))
          echo "FAIL build of the tests for aarch64"
        fi
      fi;;
  esac
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
