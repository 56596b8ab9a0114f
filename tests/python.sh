#!/bin/sh
# examples/python by the first interpreter that has numpy and pytest; PYTHON names another one. Everything three times: by
# ctypes over libperm.so; by the extension module, where there is a Python.h of version 3.11 or later; and by the package
# that pip installs, beside mypy, JAX and networkx if `tests/setup.sh full` was run.
# full: also the searches for leaks, a million calls each; the wheel from the source archive, for other machines.
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
export XDG_CACHE_HOME="$PWD/build/cache" # where perm_ops keeps what it compiles
passed=0 failed=0 skipped=0 mode=
form() { # form NAME PYTHON FILE [PERM_LIBRARY]: the tests of one form
  log=build/python.$1.log
  PERM_LIBRARY=$4 PERM_TEST_CALLS=${full:+1000000} PERM_TEST_INSTALLED=$mode "$2" -X dev -m pytest -q -rs \
    -p no:cacheprovider --import-mode=${mode:-prepend} $3 >$log 2>&1
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
if make -s libperm.so; then form ctypes "$python" examples/python/test_perm.py build/libperm.so; else failed=1; fi
if made=$(make -s python PYTHON="$python" 2>&1); then
  case $made in
    SKIP*) echo "$made"; skipped=$((skipped + 1));;
    *) form extension "$python" examples/python;;
  esac
else echo "FAIL make python: $made"; failed=$((failed + 1))
fi
# What pip installs: built from the headers alone without a network, in an environment of its own with nothing else at
# first; tested there as a whole, numpy and pytest lent by the interpreter that has them.
wheel() { # wheel NAME COMMAND...
  name=$1; shift
  if "$@" >build/python.wheel.log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL wheel: $name"; tail -n 20 build/python.wheel.log; fi
}
people=build/people/bin/python
"$people" -c 'import numpy, pytest' 2>/dev/null || people=$python
if [ -e "$("$people" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] &&
  "$people" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  at=build/wheel pip="pip --disable-pip-version-check"
  rm -rf $at && mkdir -p $at/one $at/two
  wheel "an environment" "$people" -m venv $at/venv
  wheel "pip install ./examples/python" env CFLAGS="-Wall -Wextra" $at/venv/bin/$pip install -v --no-index ./examples/python
  cp build/python.wheel.log $at/made
  wheel "no compiler warning" sh -c "grep -q 'Successfully built' $at/made && ! grep -E '[0-9]: warning:' $at/made"
  cat >$at/try.py <<'END'
import importlib.metadata, os, perm, perm_exact
assert perm is perm_exact and perm.__file__.endswith("perm_exact/__init__.py")
assert os.path.dirname(perm.LIBRARY) == os.path.dirname(perm.__file__) and "site-packages" in perm.LIBRARY, perm.LIBRARY
assert perm.np is None and os.path.exists(os.path.join(os.path.dirname(perm.__file__), "py.typed"))
assert perm.permanent([[1, 2], [3, 4]]) == 10 and perm.permanent([[0.5, 1], [1, 1j]]) == 1 + 0.5j
assert perm.compute([[0.1] * 14] * 14, certify=True, threads=2).error_bound < 1e-12
assert importlib.metadata.version("perm-exact") == perm.__version__
END
  wheel "it computes, without numpy" $at/venv/bin/python $at/try.py
  "$people" -c 'import numpy, os, pytest
for part in {numpy, pytest}: print(os.path.dirname(os.path.dirname(os.path.abspath(part.__file__))))' \
    >"$(echo $at/venv/lib/python3*/site-packages)/lent.pth"
  mode=importlib
  form installed $at/venv/bin/python examples/python/test_perm.py
  wheel "the source archive, the same bytes twice" sh -c "for copy in one two; do sleep 1.1; '$people' -c \"
import sys; sys.path.insert(0, 'examples/python'); import build_backend as b; b.build_sdist('$at/\$copy')\"; done
    cmp $at/one/*.tar.gz $at/two/*.tar.gz && tar -xzf $at/one/*.tar.gz -C $at && cd $at/perm_exact-*/ &&
    test -s perm.h -a -s perm_sparse.h -a -s perm_more.h -a -s LICENSE -a -s PKG-INFO"
  if [ "$full" = full ]; then
    wheel "a wheel from it" $at/venv/bin/$pip wheel --no-index -w $at $at/one/*.tar.gz
    if [ -x build/people/bin/auditwheel ]; then
      wheel "for other machines" env PATH="$PWD/build/people/bin:$PATH" auditwheel repair -w $at/many $at/perm_exact-*.whl
      wheel "which is installed" $at/venv/bin/$pip install --no-index --force-reinstall $at/many/*manylinux_2_*.whl
      wheel "and computes" $at/venv/bin/python -S -c "import sys, glob; sys.path += glob.glob('$at/venv/lib/*/site-packages')
import perm; assert perm.compute([[0.1] * 24] * 24, threads=2, method='glynn').threads == 2"
    else
      echo "SKIP wheel for other machines: no auditwheel (tests/setup.sh full)"; skipped=$((skipped + 1))
    fi
    if [ -x build/zig/bin/python ]; then # one with threads of its own, of this processor; the same bytes twice
      tag=manylinux_2_17_$(uname -m)
      for copy in one two; do
        wheel "by zig" build/zig/bin/python examples/python/build_backend.py $at/$copy $tag
      done
      wheel "the same bytes" cmp $at/one/*$tag.whl $at/two/*$tag.whl
      wheel "small" sh -c "test \$(cat $at/one/*$tag.whl | wc -c) -lt 3000000"
      wheel "which is installed" $at/venv/bin/$pip install --no-index --force-reinstall $at/one/*$tag.whl
      wheel "and has threads, after a fork too" env OMP_NUM_THREADS=3 $at/venv/bin/python -c "import os, perm
call = lambda **options: perm.compute([[0.1] * 24] * 24, method='glynn', **options)
assert call().threads == 3 and call().value == call(threads=1).value
child = os.fork()
if not child: os._exit(call().threads)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1"
    else
      echo "SKIP wheels by zig: no build/zig (tests/setup.sh full)"; skipped=$((skipped + 6))
    fi
  fi
else
  echo "SKIP wheel: no Python.h of CPython 3.11 or later (apt-get install python3-dev)"; skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
