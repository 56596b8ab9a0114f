#!/bin/sh
# The R package of examples/r: built with the headers; R CMD check of it, which runs its examples and tests and may say
# nothing, not even a note; what docs/r.md shows.
# Usage: tests/r.sh [package]     package: only build/r/permexact_VERSION.tar.gz
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
if ! Rscript -e 'quit(status = !requireNamespace("Matrix", quietly = TRUE))' >/dev/null 2>&1; then
  echo "SKIP R: no R with Matrix (apt-get install r-base-core r-cran-matrix r-cran-gmp)"
  echo "0 passed, 0 failed, 1 skipped"
  [ "$REQUIRE" != 1 ]
  exit
fi
out=build/r at=build/r/permexact
rm -rf $out; mkdir -p $at/src
passed=0 failed=0
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $name"; tail -n 40 $out/log; fi; }
for part in DESCRIPTION NAMESPACE R man tests src/perm.c src/Makevars; do cp -r examples/r/$part $at/$part; done
printf 'YEAR: 2026\nCOPYRIGHT HOLDER: the perm authors\n' >$at/LICENSE
# CRAN's checks refuse pragmas that silence warnings, which the headers have for builds without optimisation.
for header in perm.h perm_sparse.h perm_more.h; do
  sed '/^#pragma GCC diagnostic ignored/d' $header >$at/src/$header
done
check "R CMD build" sh -c "cd $out && R CMD build permexact"
clean() { # with a limit: a fork that waits for threads never ends
  (cd $out && LC_ALL=C.UTF-8 _R_CHECK_FORCE_SUGGESTS_=false timeout 900 R CMD check --no-manual permexact_*.tar.gz) &&
    grep -qx 'Status: OK' $out/permexact.Rcheck/00check.log
}
shown() { # each line's comment is what it prints
  awk '/^```r$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/r.md >$out/shown.R
  sed -n 's/.*  # //p' $out/shown.R >$out/wanted
  R_LIBS=$out/permexact.Rcheck Rscript $out/shown.R >$out/printed && sed -i 's/^\[1\] *//' $out/printed &&
    test -s $out/wanted && diff $out/wanted $out/printed
}
if [ "$1" = package ]; then ls $out/*.tar.gz; else
  check "R CMD check" clean
  check "its tests ran to the end" grep -q '^> stopifnot(unlist(forked)' $out/permexact.Rcheck/tests/perm.Rout
  check "docs/r.md" shown
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
