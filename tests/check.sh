#!/bin/sh
# Runs every test program, on two cores at a time, adds up their closing lines, and closes with
# `N passed, N failed, N skipped`. Usage: tests/check.sh [full]
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
rm -f build/check.*
part() { # part NAME COMMAND...: its last line must be `N passed, N failed, N skipped`
  name=$1 log=build/check.$lane.log; shift
  echo "== $name"
  "$@" >$log 2>&1
  code=$?
  line=$(tail -n 1 $log)
  case $line in
    *" passed, "*" failed, "*" skipped")
      set -- $line
      failed=$3
      [ "$3" -eq 0 ] && [ $code -ne 0 ] && failed=1
      echo "$1 $failed $5" >>build/check.$lane.counts;;
    *) echo "0 1 0" >>build/check.$lane.counts; echo "FAIL $name ended without its closing line (exit $code)";;
  esac
  if [ $code -ne 0 ]; then tail -n 60 $log; else grep SKIP $log; fi
  echo "$line"
}
compiling() { # hardly anything but compilers
  lane=compiling
  if [ "$1" = full ]; then
    part "every unit test on NEON under emulation" sh tests/isa.sh full
    part "dialects and spills" sh tests/compile/run.sh
    part "GPUs, every architecture" sh tests/cuda/run.sh
  else
    part "neon under emulation" sh tests/isa.sh neon
    part "dialects and spills" sh tests/compile/run.sh quick
    part "GPUs, or their twin" sh tests/cuda/run.sh quick
  fi
}
compiling "$1" >build/check.compiling 2>&1 &
lane=running
part "unit tests" build/tests
part "command line" sh tests/cli.sh
part "kills" sh tests/kill.sh $([ "$1" = full ] && echo 200)
part "headers" sh tests/headers.sh
part "examples" sh tests/examples.sh $1
part "headers and examples" sh tests/headers.sh
part "Python" sh tests/python.sh
part "installation" sh tests/install.sh
part "ranks" sh tests/mpi/run.sh $1
part "README and manuals" sh tests/manuals.sh $1
part "random-matrix study" sh tests/study.sh $1
if [ "$1" = full ]; then
  part "sanitizers" make -s check-sanitize
  part "fuzzing of the readers" sh -c 'make -s fuzz && echo "1 passed, 0 failed, 0 skipped"'
fi
wait
cat build/check.compiling
awk '{passed += $1; failed += $2; skipped += $3; parts++}
  END {print passed " passed, " failed " failed, " skipped " skipped"; exit parts < least || failed > 0}' \
  least=7 build/check.running.counts build/check.compiling.counts
  least=8 build/check.running.counts build/check.compiling.counts
