#!/bin/sh
# The R package of examples/r: built with the headers, and R CMD check of it, with its examples and tests, which may say
# nothing, not even a note.
# Usage: tests/r.sh [package]     package: only build/r/permexact_VERSION.tar.gz
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
if ! Rscript -e 'quit(status = !requireNamespace("Matrix", quietly = TRUE))' >/dev/null 2>&1; then
  echo "SKIP R: no R with Matrix (apt-get install r-base-core r-cran-matrix r-cran-gmp)"
  echo "0 passed, 0 failed, 1 skipped"
  [ "$REQUIRE" != 1 ]
  exit
fi
passed=0 failed=0
check() { name=$1; shift
  if "$@" >build/r/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; tail -n 40 build/r/log; fi; }
at=build/r/permexact
rm -rf build/r; mkdir -p $at/src
for part in DESCRIPTION NAMESPACE R man tests src/perm.c src/Makevars; do cp -r examples/r/$part $at/$part; done
printf 'YEAR: 2026\nCOPYRIGHT HOLDER: the perm authors\n' >$at/LICENSE
# CRAN's checks refuse pragmas that silence warnings; they stand in the headers for users' warnings at -O0.
for header in perm.h perm_sparse.h perm_more.h; do sed '/^#pragma GCC diagnostic ignored/d' $header >$at/src/$header; done
check "R CMD build" sh -c "cd build/r && R CMD build permexact"
if [ "$1" = package ]; then ls build/r/*.tar.gz; else
  clean() { # in English, and without gmp too
    (cd build/r && LC_ALL=C.UTF-8 _R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual permexact_*.tar.gz) &&
      grep -qx 'Status: OK' build/r/permexact.Rcheck/00check.log
  }
  check "R CMD check" clean
  check "its tests ran" grep -qs 'mc.cores' build/r/permexact.Rcheck/tests/perm.Rout
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
