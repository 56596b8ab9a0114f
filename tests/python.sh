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
# The wheel: built from the headers alone, without a network, installed in an environment of its own, tested there; from
# the source archive it is the same.
wheel() { # wheel NAME COMMAND...
  name=$1; shift
  if "$@" >build/python.wheel.log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL wheel: $name"; tail -n 20 build/python.wheel.log; fi
}
if [ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] &&
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  rm -rf build/wheel && mkdir -p build/wheel/source
  wheel build env CFLAGS="-Wall -Wextra" "$python" -c "import sys; sys.path.insert(0, 'examples/python')
import build_backend as b; print(b.build_wheel('build/wheel'), b.build_sdist('build/wheel'))"
  cp build/python.wheel.log build/wheel/made
  wheel "no compiler warning" sh -c "grep -q whl build/wheel/made && ! grep -i warning build/wheel/made"
  wheel "an environment" "$python" -m venv build/wheel/venv
  wheel install build/wheel/venv/bin/pip install -q --no-index --disable-pip-version-check build/wheel/*.whl
  try='import perm; assert perm.LIBRARY.endswith("_perm.abi3.so"), perm.LIBRARY
assert perm.permanent([[1, 2], [3, 4]]) == 10 and perm.permanent([[0.5, 1], [1, 1j]]) == 1 + 0.5j
assert perm.compute([[0.1] * 14] * 14, certify=True, threads=2).error_bound < 1e-12
import importlib.metadata as m; assert m.version("perm-exact") == perm.__version__'
  wheel "it computes" sh -c "cd build/wheel && venv/bin/python -c '$(echo "$try" | sed "s/'/\"/g")'"
  wheel "imported in 0.2 s at most" sh -c "cd build/wheel && venv/bin/python -X importtime -c 'import perm' 2>&1 |
    awk -F '|' '/ perm\$/ {ms = \$2 / 1000} END {print ms, \"ms\"; exit !(ms > 0 && ms < 200)}'"
  wheel "the source archive" sh -c "cd build/wheel && tar -xzf perm_exact-*.tar.gz && cd perm_exact-*/ &&
    test -s perm.h -a -s LICENSE -a -s PKG-INFO"
  [ "$full" = full ] && wheel "built from it" sh -c "build/wheel/venv/bin/pip install -q --no-index --no-build-isolation \
    --force-reinstall --disable-pip-version-check build/wheel/perm_exact-*.tar.gz"
else
  echo "SKIP wheel: no Python.h of CPython 3.11 or later (apt-get install python3-dev)"; skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
