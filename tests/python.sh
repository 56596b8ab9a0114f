#!/bin/sh
# examples/python/test_perm.py by the first interpreter that has numpy and pytest; PYTHON names another one.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
for python in $PYTHON python3 /usr/bin/python3 python; do
  "$python" -c 'import numpy, pytest' 2>/dev/null && break
  python=""
done
if [ -z "$python" ]; then
  echo "SKIP Python: no interpreter with numpy and pytest (apt-get install python3-numpy python3-pytest python3-scipy)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
make -s libperm.so || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
mkdir -p build
PERM_LIBRARY=build/libperm.so "$python" -m pytest -q -rs -p no:cacheprovider examples/python >build/python.log 2>&1
code=$?
sed 's/^SKIPPED/SKIP/' build/python.log
# "3 failed, 115 passed, 2 skipped, 1 error in 20.00s", in any order
tail -n 1 build/python.log | awk -v code=$code '
  { for (i = 1; i < NF; i++) { sub(/,$/, "", $(i + 1)); sub(/s$/, "", $(i + 1)); count[$(i + 1)] += $i } }
  END {
    failed = count["failed"] + count["error"]
    if (code != 0 && failed == 0) failed = 1
    if (count["passed"] == 0 && failed == 0) failed = 1
    printf "%d passed, %d failed, %d skipped\n", count["passed"], failed, count["skipped"]
    exit failed > 0
  }'
