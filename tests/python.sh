#!/bin/sh
# examples/python by the first interpreter that has numpy and pytest; PYTHON names another one. Everything twice: by
# ctypes over libperm.so, and by the extension module, where there is a Python.h of version 3.11 or later.
# full: also the searches for leaks, a million calls each.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
full=$1
for python in $PYTHON python3 /usr/bin/python3 python; do
  "$python" -c 'import numpy, pytest' 2>/dev/null && break
  python=""
done
if [ -z "$python" ]; then
  echo "SKIP Python: no interpreter with numpy and pytest (apt-get install python3-numpy python3-pytest python3-scipy)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
mkdir -p build
passed=0 failed=0 skipped=0
form() { # form NAME FILE [PERM_LIBRARY]: the tests of one form
  log=build/python.$1.log
  PERM_LIBRARY=$3 PERM_TEST_CALLS=${full:+1000000} "$python" -X dev -m pytest -q -rs -p no:cacheprovider $2 >$log 2>&1
  code=$?
  sed 's/^SKIPPED/SKIP/' $log
  # "3 failed, 115 passed, 2 skipped, 1 error in 20.00s", in any order
  counts=$(tail -n 1 $log | awk -v code=$code '
    { for (i = 1; i < NF; i++) { sub(/,$/, "", $(i + 1)); sub(/s$/, "", $(i + 1)); count[$(i + 1)] += $i } }
    END {
      failed = count["failed"] + count["error"]
      if (failed == 0 && (code != 0 || count["passed"] == 0)) failed = 1
      print count["passed"] + 0, failed, count["skipped"] + 0
    }')
  set -- $counts
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}
if make -s libperm.so; then form ctypes examples/python/test_perm.py build/libperm.so; else failed=1; fi
if made=$(make -s python PYTHON="$python" 2>&1); then
  case $made in
    SKIP*) echo "$made"; skipped=$((skipped + 1));;
    *) form extension examples/python;;
  esac
else echo "FAIL make python: $made"; failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
