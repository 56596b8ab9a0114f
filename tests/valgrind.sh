#!/bin/sh
# A fast part of the unit tests under valgrind's memcheck: reads of what was never written, which AddressSanitizer does
# not see. Valgrind knows no AVX-512, and says so to cpuid, so that the kernels are those of AVX2 and portable C.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
if ! command -v valgrind >/dev/null; then
  echo "SKIP valgrind: apt-get install valgrind"; echo "0 passed, 0 failed, 1 skipped"
  test "$REQUIRE" != 1; exit
fi
mkdir -p build
${CC:-cc} -std=gnu11 -g -O1 -mno-avx512f -I. tests/unit/all.c -o build/tests_valgrind -lm || exit 1
OMP_NUM_THREADS=1 valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
  build/tests_valgrind ${1:-t_faults_ t_io t_state t_sparse_reads t_small t_core t_spy t_batch_scales t_cauchy_matches \
    t_minors_zeros t_prepare_equal t_exact_fails t_tree_failing t_arrays_survive}
# SPDX-License-Identifier: MIT
