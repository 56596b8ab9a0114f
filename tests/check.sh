#!/bin/sh
# Runs every test program, adds up their closing lines, and closes with `N passed, N failed, N skipped`.
# Usage: tests/check.sh [full]
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
passed=0 failed=0 skipped=0
part() { # part NAME COMMAND...: its last line must be `N passed, N failed, N skipped`
  name=$1; shift
  echo "== $name"
  "$@" >build/check.log 2>&1
  code=$?
  line=$(tail -n 1 build/check.log)
  case $line in
    *" passed, "*" failed, "*" skipped")
      set -- $line
      passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
      [ "$3" -eq 0 ] && [ $code -ne 0 ] && failed=$((failed + 1));;
    *) failed=$((failed + 1)); echo "FAIL $name ended without its closing line (exit $code)";;
  esac
  if [ $code -ne 0 ]; then tail -n 60 build/check.log; else grep SKIP build/check.log; fi
  echo "$line"
}
part "unit tests" build/tests
part "command line" sh tests/cli.sh
part "headers and examples" sh tests/headers.sh
if [ "$1" = full ]; then
  part "every unit test on NEON under emulation" sh tests/isa.sh full
  part "dialects and spills" sh tests/compile/run.sh
  part "sanitizers" make -s check-sanitize
  part "fuzzing of the reader" sh -c 'make -s fuzz && echo "1 passed, 0 failed, 0 skipped"'
else
  part "neon under emulation" sh tests/isa.sh neon
  part "dialects and spills" sh tests/compile/run.sh quick
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
